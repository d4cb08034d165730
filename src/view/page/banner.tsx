import type { ComponentChildren, VNode } from "preact";
import type { Answers } from "../model/answers.ts";
import { countsText } from "../model/shown.ts";
import { pageNames } from "../model/page-names.ts";
import { scoresIn } from "../model/scores.ts";
import { filterWords } from "../../words/filter-words.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { Choice } from "../parts/choice.tsx";
import { framed, Name } from "../parts/name.tsx";
import type { PageActions } from "../parts/page-actions.ts";

interface BannerProps {
  readonly answers: Answers;
  readonly score: string | null;
  readonly actions: PageActions | undefined;
  /** What can be chosen beside the score. */
  readonly controls?: ComponentChildren;
  /** What changes the filters; without it they are said. */
  readonly filters?: ComponentChildren;
}

/** What the page is about, and what can be chosen. */
export function Banner(props: BannerProps): VNode {
  const { answers } = props;
  const { question } = answers;
  const { title, derived_scores: computed } = question;
  return (
    <header class="banner">
      <div class="subject">
        <h1>
          <Name text={title ?? answers.project} />
        </h1>
        {title == null ? null : (
          <p class="hint">
            <Name text={answers.project} />
          </p>
        )}
        <p class="hint">{countsText(answers)}</p>
        {props.filters === undefined ? <FiltersSaid answers={answers} /> : null}
        <AsJson label="Computed scores" value={computed} />
        <AsJson label="Errors count as" value={question.count_errors_as} />
        <AsJson label="No verdict counts as" value={question.count_nulls_as} />
      </div>
      <Controls {...props} />
      {props.filters}
    </header>
  );
}

function FiltersSaid({ answers }: Pick<BannerProps, "answers">): VNode | null {
  const { filters, filter_logic_operator: operator } = answers.question;
  if (filters == null || filters.length === 0) return null;
  const names = pageNames(answers);
  const nameOf = (evaluation: string) => names.find(({ id }) => id === evaluation)?.text ?? evaluation;
  const words = filters.map((filter) => filterWords(filter, nameOf));
  return <p class="hint request">Filters: {framed(words.join(operator === "or" ? " or " : "; "))}</p>;
}

function AsJson({ label, value }: { readonly label: string; readonly value: unknown }): VNode | null {
  if (value == null) return null;
  return (
    <p class="hint request">
      {label}: <code>{framed(JSON.stringify(value))}</code>
    </p>
  );
}

function Controls({ answers, score, actions, controls }: BannerProps): VNode {
  const disabled = actions === undefined;
  const view = actions?.view;
  const scores = scoresIn(answers).map(({ key }) => key);
  return (
    <div class="controls">
      <Choice
        label="Score"
        value={view?.score ?? score ?? ""}
        disabled={disabled}
        options={[...new Set([...scores, ...(view?.moreScores ?? [])])].map((key) => [key, key])}
        choose={(name) => actions?.chooseScore(name)}
      />
      {controls}
      <CopyButton label="Copy link" disabled={disabled} text={() => location.href} />
      <button type="button" disabled={disabled} onClick={() => actions?.turnTheme()}>
        Theme<span class="unseen"> light or dark</span>
      </button>
      {view === undefined ? null : (
        <button type="button" onClick={() => view.saveReport()}>
          Save report
        </button>
      )}
    </div>
  );
}
