import type { VNode } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { isStepScore, type By, type InputField } from "../../model/field-path.ts";
import { writeJson } from "../../model/json.ts";
import type { Answers, Question } from "../model/answers.ts";
import { readFilters, writeFilters } from "../filters/filter-parts.ts";
import { FiltersBar } from "../filters/filters-bar.tsx";
import { latestShown } from "../model/latest.ts";
import { pageNames } from "../model/page-names.ts";
import { passesNone } from "../model/shown.ts";
import { offeredSteps, stepFields } from "../model/stepped.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { afterFrame } from "../parts/frame.ts";
import { bracketed } from "../parts/name.tsx";
import type { ViewActions } from "../parts/page-actions.ts";
import { Page } from "../page/page.tsx";
import { ViewControls } from "../page/view-controls.tsx";
import { Failure } from "../row-parts/failure.tsx";
import { queryOf } from "../row-parts/rows-state.ts";
import { type Asked, useAsked } from "../row-parts/use-asked.ts";
import { RowsSection } from "../row-table/rows-section.tsx";
import { fieldValues } from "../service/field-values.ts";
import { PAGE_ROWS } from "../service/row-pages.ts";
import { viewAnswers, type ViewAnswers } from "../service/service-answers.ts";
import { serviceRows, type ServiceRows } from "../service/service-rows.ts";
import { projectPath, Refusal, type Service } from "../service/service.ts";
import { scoreKey } from "../../words/score.ts";
import { saveFile } from "../rows/download.ts";
import { type Address, START } from "./address.ts";
import { usePageRows } from "./columns.ts";
import { Frame } from "./frame.tsx";
import { RowsNotes } from "./rows-notes.tsx";
import { useRefresh } from "./use-refresh.ts";
import { actionsOf, type UsedAddress } from "./use-address.ts";

interface ProjectPageProps {
  readonly service: Service;
  readonly project: string;
  readonly used: UsedAddress;
}

/** The page of a project; while it asks again, and where that fails, the last answers stay. */
export function ProjectPage({ service, project, used }: ProjectPageProps): VNode {
  const { address, change } = used;
  const question = questionOf(address);
  const asked = useAsked<ViewAnswers>(
    question === null
      ? null
      : (signal, tell) =>
          viewAnswers(service, project, question, firstRowsOf(address), { signal, tell, drawn: nextFrame }),
    [service, project, writeJson(question)],
  );
  const { answer } = asked;
  useRefresh(asked, answer?.all);
  useEffect(() => void (document.title = bracketed(project)), [project]);
  const source = useSource(service, answer);
  const page = usePageRows(source, answer?.answers ?? null, used);
  const isOfFilters = asked.error instanceof Refusal && asked.error.path[0] === "filters";
  const filters = (
    <FiltersBar
      text={address.filters}
      change={(text) => change({ filters: text })}
      fields={answer === null ? [] : fieldsOf(answer)}
      values={async (field, signal) =>
        answer === null ? [] : fieldValues(service, answer.answers, field, signal)
      }
      names={answer === null ? [] : pageNames(answer.answers)}
      refusal={isOfFilters ? (asked.error?.message ?? null) : null}
      noRow={answer !== null && passesNone(answer.answers) ? answer.answers.warnings : null}
    />
  );
  const failure =
    asked.error === null || isOfFilters ? null : <Failure error={asked.error} again={asked.again} />;
  if (answer === null || source === null)
    return (
      <Frame title={project} reading={question !== null && asked.error === null}>
        {failure}
        {address.filters === "" ? null : filters}
      </Frame>
    );
  return <Answered {...{ service, used, source, page, asked, answer, failure, filters }} />;
}

function useSource(service: Service, answer: ViewAnswers | null): ServiceRows | null {
  return useMemo(
    () => (answer === null ? null : serviceRows(service, answer.answers, answer.firstRows)),
    // The same list in all that is told of one answer.
    [service, answer?.all],
  );
}

function nextFrame(): Promise<void> {
  return new Promise((resolve) => void afterFrame(resolve));
}

interface AnsweredProps {
  readonly service: Service;
  readonly used: UsedAddress;
  readonly source: ServiceRows;
  readonly page: ReturnType<typeof usePageRows>;
  readonly asked: Asked<ViewAnswers>;
  readonly answer: ViewAnswers;
  readonly failure: VNode | null;
  readonly filters: VNode;
}

function Answered(props: AnsweredProps): VNode {
  const { service, used, source, page, asked, answer, failure, filters } = props;
  const { score, rows } = page;
  const chosen = asked.asking ? used.address.score : null;
  const { view, saveError } = useViewActions(service, answer, chosen ?? score?.key ?? null, used);
  return (
    <div aria-busy={asked.asking}>
      <Page
        gradual
        answers={answer.answers}
        awaited={answer.awaited}
        score={score?.key ?? null}
        actions={{ ...actionsOf(used), view }}
        controls={<ViewControls answers={answer.answers} view={view} />}
        filters={filters}
        failures={
          <>
            {failure}
            {saveError === null ? null : <Failure error={saveError} again={view.saveReport} />}
          </>
        }
        rows={
          <RowsSection rows={rows}>
            <p class="copy-request">
              <CopyButton
                label="Copy request"
                text={() => writeJson(source.requestOf(queryOf(rows.columns, rows.state)))}
              />
            </p>
            <RowsNotes
              left={null}
              fixed={[]}
              unknown={[...used.unknown, ...answer.unknown, ...(asked.asking ? [] : page.unknown)]}
            />
          </RowsSection>
        }
      />
    </div>
  );
}

function useViewActions(
  service: Service,
  answer: ViewAnswers,
  score: string | null,
  { address, change }: UsedAddress,
) {
  const [saveError, setSaveError] = useState<Error | null>(null);
  const { answers, all } = answer;
  const shown = answers.evaluations.map(({ id }) => id);
  const known = (address.evaluations ?? []).filter((id) => all.some((one) => one.id === id));
  const view: ViewActions = {
    score,
    moreScores: answers.steps === undefined ? [] : offeredSteps(answers.summary),
    by: address.by ?? [],
    fields: answer.fields,
    chooseBy: (by) => change({ by: by.length === 0 ? null : by }),
    addFilters: (added) => {
      const read = readFilters(address.filters);
      if ("filters" in read) change({ filters: writeFilters([...read.filters, ...added]) });
    },
    chooseBaseline: (id) => change(withBaseline(answers, id)),
    chooseEvaluations: (ids) => change({ ...CHOSEN, evaluations: ids.length === 0 ? shown : ids }),
    runs: address.runs ?? (known.length === 0 ? answers.runs : "chosen"),
    chooseRuns: (runs) =>
      change(
        runs === "chosen"
          ? { ...CHOSEN, evaluations: shown, baseline: answers.baseline }
          : { ...UNCHOSEN, runs },
      ),
    chooseName: (name) => change({ ...UNCHOSEN, runs: "latest", name }),
    allEvaluations: all,
    chosenEvaluations: known.length === 0 ? shown : known,
    saveReport: () => {
      setSaveError(null);
      saveReport(service, answers, score).catch(setSaveError);
    },
  };
  return { view, saveError };
}

const UNCHOSEN = { evaluations: null, baseline: null, with: [], name: null } as const;
const CHOSEN = { runs: "chosen", name: null } as const;

/**
 * The state with another baseline: of the latest two, and where it is not shown yet, its evaluations are chosen from
 * then on.
 */
function withBaseline({ runs, evaluations, baseline: last }: Answers, id: string): Partial<Address> {
  const ids = evaluations.map((one) => one.id);
  if (runs !== "latest" && ids.includes(id)) return { baseline: id };
  const others = ids.filter((one) => one !== id && (runs !== "latest" || ids.includes(id) || one !== last));
  return { ...CHOSEN, evaluations: [id, ...others], baseline: id };
}

/** What the address asks; null while its filters are no JSON. */
function questionOf(address: Address): Question | null {
  const { lower_is_better, higher_is_better, cluster_by, by, score } = address;
  const read = readFilters(address.filters);
  if ("error" in read) return null;
  return {
    ...runsOf(address),
    ...(score !== null && isStepScore(score) ? { step_scores: [score] } : {}),
    lower_is_better,
    higher_is_better,
    // The service refuses one that is no field.
    cluster_by: cluster_by as InputField | null,
    by: by?.includes("nothing") === true ? "nothing" : (by as By | null),
    filters: read.filters.length === 0 ? null : read.filters,
  };
}

/**
 * The members of a question that say which runs it is about; what the latest two are compared with goes without saying.
 */
function runsOf({ runs, name, evaluations, baseline, with: others }: Address): Partial<Question> {
  const isNamed = evaluations !== null || baseline !== null || others.length > 0;
  const way = runs ?? (evaluations !== null ? "chosen" : isNamed ? "all" : name === null ? null : "latest");
  if (way === "chosen" && evaluations !== null) return { evaluations, baseline };
  if (way === "latest") return { runs: way, name };
  return way === null ? {} : { runs: way === "chosen" ? "all" : way, baseline };
}

/** What the address asks of the first rows; null where it asks for others. */
function firstRowsOf({ search, show, order, score }: Address) {
  const isFirst = search.trim() === "" && show === START.show && order === START.order;
  return isFirst ? { first_rows: PAGE_ROWS, score } : null;
}

/** Fields that filters can name. */
function fieldsOf({ answers, fields }: ViewAnswers): string[] {
  const scores = (answers.whole ?? answers.summary).evaluations.flatMap((one) =>
    one.scorer_stats.flatMap((stats) => (stats.better === undefined ? [scoreKey(stats)] : [])),
  );
  return [
    ...[...new Set(scores)].map((name) => `scores.${name}`),
    ...fields,
    ...stepFields(answers.steps),
    "error",
    "row_digest",
  ];
}

/** Downloads the report of what is shown; it begins with this score. */
async function saveReport(service: Service, answers: Answers, score: string | null): Promise<void> {
  const { project, question, evaluations, baseline, comparison, runs } = answers;
  const named = {
    evaluations: evaluations.map(({ id }) => id),
    runs: null,
    ...(baseline === null ? {} : { baseline, baseline_is_best: comparison?.ranks != null }),
  };
  const options = {
    ...question,
    ...(runs === "latest" ? { runs, name: latestShown(answers)?.name ?? null } : named),
    ...(score === null ? {} : { score }),
  };
  const path = projectPath(project, "eval_results/report");
  const file = await service.download(path, options, new AbortController().signal);
  saveFile(file, `${project.replaceAll(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 100)}.html`);
}
