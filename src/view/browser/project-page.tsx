import type { VNode } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { By, InputField } from "../../model/field-path.ts";
import { writeJson } from "../../model/json.ts";
import type { Answers, Question } from "../answers.ts";
import { readFilters, writeFilters } from "../filters/filter-parts.ts";
import { FiltersBar } from "../filters/filters-bar.tsx";
import { passesNone } from "../model/shown.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { afterFrame } from "../parts/frame.ts";
import { bracketed } from "../parts/name.tsx";
import type { ViewActions } from "../parts/page-actions.ts";
import { Page } from "../parts/page.tsx";
import { Failure } from "../row-parts/failure.tsx";
import { queryOf } from "../row-parts/rows-state.ts";
import { type Asked, useAsked } from "../row-parts/use-asked.ts";
import { RowsSection } from "../row-table/rows-section.tsx";
import { fieldValues } from "../service/field-values.ts";
import { PAGE_ROWS } from "../service/row-pages.ts";
import { viewAnswers, type ViewAnswers } from "../service/service-answers.ts";
import { serviceRows, type ServiceRows } from "../service/service-rows.ts";
import { projectPath, Refusal, type Service } from "../service/service.ts";
import { evaluationNames } from "../words/names.ts";
import { scoreKey } from "../words/score.ts";
import { saveFile } from "../rows/download.ts";
import { type Address, START } from "./address.ts";
import { usePageRows } from "./columns.ts";
import { Frame } from "./frame.tsx";
import { RowsNotes } from "./rows-notes.tsx";
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
      names={evaluationNames(answer?.answers.evaluations ?? [])}
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
  const { view, saveError } = useViewActions(service, answer, score?.key ?? null, used);
  return (
    <div aria-busy={asked.asking}>
      <Page
        gradual
        answers={answer.answers}
        awaited={answer.awaited}
        score={score?.key ?? null}
        actions={{ ...actionsOf(used), view }}
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
              unknown={[...used.unknown, ...answer.unknown, ...page.unknown]}
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
  const view: ViewActions = {
    by: address.by ?? [],
    fields: answer.fields,
    chooseBy: (by) => change({ by: by.length === 0 ? null : by }),
    addFilters: (added) => {
      const read = readFilters(address.filters);
      if ("filters" in read) change({ filters: writeFilters([...read.filters, ...added]) });
    },
    chooseBaseline: (id) => change({ baseline: id }),
    chooseEvaluations: (ids) =>
      change({ evaluations: ids.length === 0 || ids.length === all.length ? null : ids }),
    allEvaluations: all,
    chosenEvaluations: chosenOf(all, address),
    saveReport: () => {
      setSaveError(null);
      saveReport(service, answers, score).catch(setSaveError);
    },
  };
  return { view, saveError };
}

/** The evaluations of the address that there are; without any, all. */
function chosenOf(all: ViewAnswers["all"], { evaluations }: Address): readonly string[] {
  const ids = all.map(({ id }) => id);
  const chosen = evaluations?.filter((id) => ids.includes(id)) ?? [];
  return chosen.length === 0 ? ids : chosen;
}

/** What the address asks; null while its filters are no JSON. */
function questionOf(address: Address): Question | null {
  const { evaluations, baseline, lower_is_better, higher_is_better, cluster_by, by } = address;
  const read = readFilters(address.filters);
  if ("error" in read) return null;
  return {
    evaluations,
    baseline,
    lower_is_better,
    higher_is_better,
    // The service refuses one that is no field.
    cluster_by: cluster_by as InputField | null,
    by: by?.includes("nothing") === true ? "nothing" : (by as By | null),
    filters: read.filters.length === 0 ? null : read.filters,
  };
}

/** What the address asks of the first rows; null where it asks for others. */
function firstRowsOf({ search, show, order, score }: Address) {
  const isFirst = search.trim() === "" && show === START.show && order === START.order;
  return isFirst ? { first_rows: PAGE_ROWS, score } : null;
}

/** Fields that filters can name. */
function fieldsOf({ answers, fields }: ViewAnswers): string[] {
  const scores = (answers.whole ?? answers.summary).evaluations.flatMap((one) =>
    one.scorer_stats.map(scoreKey),
  );
  return [...[...new Set(scores)].map((name) => `scores.${name}`), ...fields, "error", "row_digest"];
}

/** Downloads the report of what is shown; it begins with this score. */
async function saveReport(service: Service, answers: Answers, score: string | null): Promise<void> {
  const { project, question, evaluations, baseline, comparison } = answers;
  const options = {
    ...question,
    evaluations: evaluations.map(({ id }) => id),
    ...(baseline === null ? {} : { baseline, baseline_is_best: comparison?.ranks != null }),
    ...(score === null ? {} : { score }),
  };
  const path = projectPath(project, "eval_results/report");
  const file = await service.download(path, options, new AbortController().signal);
  saveFile(file, `${project.replaceAll(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 100)}.html`);
}
