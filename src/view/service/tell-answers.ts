import { writeJson, isJsonObject, type Json } from "../../model/json.ts";
import type { EvaluationEntry } from "../../engine/catalog/list-evaluations.ts";
import type { EvalResultsRequest } from "../../request/eval-results-request.ts";
import type { AnswerPart, Answers, Question, Scope } from "../model/answers.ts";
import { headlineOf, scoreNamed } from "../model/scores.ts";
import { runsByName } from "../chosen-evaluations.ts";
import type { AnswerSource } from "../answer-source.ts";
import { readComparison, readMeans, readSpread, stepsNamed } from "../read-answers.ts";
import { readHistories, readItems } from "../read-behind.ts";
import { readPageSteps } from "../read-steps.ts";
import { firstRequest } from "../rows/rows-request.ts";
import type { ViewQuestion } from "./view-question.ts";
import { askSteps, fieldText, stepMember } from "../../model/field-path.ts";

/** Where a view's answers come from. */
interface ViewSource extends AnswerSource {
  /** The response to a request as JSON text. */
  readonly queryText: (request: EvalResultsRequest) => Promise<string>;
}

/**
 * Tells everything that a page shows, in lines of JSON, each an `AnswerPart`, as soon as it is there; what takes long
 * and is not needed for a verdict is asked last. Unknown evaluations of the question are ignored.
 */
export async function* tellAnswers(
  source: ViewSource,
  project: string,
  { first_rows: limit, score, ...asked }: ViewQuestion,
): AsyncGenerator<string, void, undefined> {
  const all = await source.list();
  const named = stepsNamed({ ...asked, score });
  const { question, unknown } = knownPart(all, { ...asked, ...stepMember(named) });
  const answers = await askSteps(named, () => readMeans(source, all, project, question));
  const { baseline, summary, evaluations, warnings, whole, runs, latest, left_out, also } = answers;
  const request = limit == null ? null : firstRows(answers, score ?? null, limit);
  const parts = [
    readComparison(source, answers, question).then((comparison) => line({ comparison })),
    ...(request === null ? [] : [source.queryText(request).then((text) => `{"first_rows":${text}}\n`)]),
  ];
  // They reject where the client leaves after the first line, and then nothing below hears of it.
  for (const part of parts) part.catch(() => undefined);
  const shown = evaluations.map(({ id }) => id);
  const chosen = { runs, latest, left_out, also };
  const told = { ...chosen, baseline, summary, warnings, whole, rows_request: request, unknown };
  // Attributes may be long, and only those of shown evaluations are seen.
  const listed = all.map((one) => (shown.includes(one.id) ? one : { ...one, attributes: null }));
  yield line({ means: { evaluations: listed, shown, ...told } });
  yield* asSettled(parts);
  const fields = readFields(source, shown, question);
  // It rejects where the client leaves before it is awaited.
  fields.catch(() => undefined);
  const histories = await readHistories(source, all, answers, question);
  yield line({ histories, items: await readItems(source, answers, question) });
  const spread = await readSpread(source, answers, question);
  yield line({ spread, fields: await fields });
  const steps = await readPageSteps(source, answers, spread, question);
  if (steps !== null) yield line({ steps });
}

function line(part: AnswerPart): string {
  return `${writeJson(part)}\n`;
}

/** The first to settle comes first. */
async function* asSettled<Value>(promises: readonly Promise<Value>[]): AsyncGenerator<Value> {
  const waiting = new Map(promises.map((promise, i) => [i, promise.then((value) => ({ i, value }))]));
  for (const one of waiting.values()) one.catch(() => undefined);
  while (waiting.size > 0) {
    const { i, value } = await Promise.race(waiting.values());
    waiting.delete(i);
    yield value;
  }
}

/** The request of the first rows that a page shows where nothing is chosen but its score. */
function firstRows(answers: Answers, wanted: string | null, limit: number): EvalResultsRequest {
  const score = scoreNamed(answers, wanted) ?? headlineOf(answers);
  return { ...firstRequest(answers, score?.key ?? null), limit };
}

/** The question without evaluations and names that the project does not have. */
function knownPart(all: readonly EvaluationEntry[], question: Question) {
  const trials = new Map(all.map(({ id, trial_count: count }) => [id, count]));
  const { evaluations, baseline, name } = question;
  const isName = name == null || runsByName(all).has(name);
  const kept = evaluations?.filter((id) => trials.has(id)) ?? [];
  const page = kept.length === 0 ? [...trials.keys()] : kept;
  const isBaseline = baseline == null || (page.includes(baseline) && (trials.get(baseline) ?? 0) > 0);
  const known: Question = {
    ...question,
    evaluations: kept.length === 0 ? null : kept,
    runs: evaluations != null && kept.length === 0 ? "all" : question.runs,
    baseline: isBaseline ? baseline : null,
    name: isName ? name : null,
  };
  const lost = [...(evaluations?.filter((id) => !trials.has(id)) ?? []), ...(isName ? [] : [name])];
  return { question: known, unknown: isBaseline ? lost : [...lost, baseline] };
}

/** Rows that are looked at, and fields that are told of inputs and of details. */
const ROWS = 50;
const MOST_FIELDS = 40;

/**
 * The fields of inputs, then of details, down to two levels, as requests name them: those of the first rows, whatever
 * the filters.
 */
async function readFields(
  { query }: Pick<AnswerSource, "query">,
  evaluations: readonly string[],
  { include_predict_and_score_children }: Scope,
): Promise<string[]> {
  const { rows } = await query({
    evaluation_call_ids: evaluations,
    include_predict_and_score_children,
    include_raw_data_rows: true,
    resolve_row_refs: true,
    include_outputs: false,
    include_details: true,
    limit: ROWS,
  });
  const inputs = rows.flatMap((row) => fieldsOf(row.raw_data_row, ["inputs"]));
  const trials = rows.flatMap(({ evaluations: all }) => all.flatMap((one) => one.trials));
  const details = trials.flatMap((trial) => fieldsOf(trial.details ?? null, ["output", "details"]));
  return [inputs, details].flatMap((fields) => [...new Set(fields)].slice(0, MOST_FIELDS));
}

function fieldsOf(value: Json, path: readonly string[], levels = 2): string[] {
  if (!isJsonObject(value)) return levels === 2 ? [] : [fieldText(path)];
  if (levels === 0) return [];
  return Object.entries(value).flatMap(([name, member]) => fieldsOf(member, [...path, name], levels - 1));
}
