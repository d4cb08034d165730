import type { VNode } from "preact";
import { conclusionOf } from "../../model/concluded.ts";
import { passesNone, type Shown, type ShownEvaluation } from "../../model/shown.ts";
import { Glyph } from "../../plots/glyph.tsx";
import { toneOf } from "../../../words/standings.ts";
import { LatestRunsTable } from "./latest-runs.tsx";
import { LeftOutLine } from "./leaderboard.tsx";
import { Section } from "../section.tsx";
import { Name, SentenceText } from "../name.tsx";
import type { EvaluationName } from "../../../words/names.ts";
import type { Answers } from "../../model/answers.ts";
import { counted } from "../../../words/figures.ts";

interface ConclusionProps {
  readonly shown: Shown;
  /** Whom the last sentences are about. */
  readonly candidate: ShownEvaluation | null;
}

/** What the answers say, before any table. */
export function ConclusionPart({ shown, candidate }: ConclusionProps): VNode {
  const { headline, sentences } = conclusionOf(shown, candidate);
  return (
    <Section kind="conclusion" title="Conclusion">
      <p class="headline">
        <SentenceText sentence={headline} />
      </p>
      {sentences.length === 0 ? null : (
        <ul>
          {sentences.map(({ standing, mark, sentence }, i) => (
            <li key={i} class={standing === null ? "neutral" : toneOf(standing, shown.score)}>
              <Glyph mark={mark} />
              <span>
                <SentenceText sentence={sentence} />
              </span>
            </li>
          ))}
        </ul>
      )}
      <ChangedLines shown={shown} />
      <LatestRunsTable shown={shown} />
    </Section>
  );
}

const MOST_CHANGED = 12;

/** What changed beside the scores, one line a pair. */
function ChangedLines({ shown: { answers, evaluations } }: { readonly shown: Shown }): VNode {
  const changes = answers.comparison?.changes ?? [];
  const nameOf = (id: string) => evaluations.find(({ name }) => name.id === id)?.name;
  return (
    <>
      {changes.slice(0, MOST_CHANGED).map(({ candidate, text }) => (
        <p key={candidate} class="changed">
          Changed{changes.length > 1 ? <NamedAfter name={nameOf(candidate)} /> : null}: <bdi>{text}</bdi>.
        </p>
      ))}
    </>
  );
}

function NamedAfter({ name }: { readonly name: EvaluationName | undefined }): VNode | null {
  return name === undefined ? null : (
    <>
      {" "}
      in <Name {...name} />
    </>
  );
}

/** The conclusion where there is nothing to conclude from: what is missing, and what to do. */
export function EmptyPart({ answers }: { readonly answers: Answers }): VNode {
  return (
    <Section kind="conclusion" title="Conclusion">
      <p class="headline">{emptyText(answers)}</p>
      <LeftOutLine answers={answers} />
    </Section>
  );
}

function emptyText(answers: Answers): string {
  const { evaluations, summary } = answers;
  if (passesNone(answers))
    return `There is nothing to conclude from: 0 of ${counted(answers.whole?.row_count ?? 0, "row")}.`;
  if (evaluations.length === 0)
    return "There is no evaluation to show. Load evaluations into this project, or import the logs of a tool.";
  if (summary.evaluations.every((one) => one.trial_count === 0))
    return "No evaluation here has a trial. Load the trials, or wait until the first has ended; without filters there may be more.";
  if (summary.evaluations.some((one) => one.scorer_stats.some(({ better }) => better === undefined)))
    return "All scores here are text. A page compares numbers and true or false; score the trials with one of these.";
  return "No trial here has a score. Score the trials with numbers or with true and false.";
}
