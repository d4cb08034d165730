import { writeJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { EvalResultsRequest } from "../../request/eval-results-request.ts";
import type { EvalResultsResponse, ResultRow, Trial } from "../../respond/query/response.ts";
import { scopeOf, type Answers } from "../model/answers.ts";
import type { RowDetail, RowQuery, RowSource, DetailTrial } from "../rows/row-source.ts";
import { lineOf } from "../rows/row-values.ts";
import { linePages, PAGE_ROWS } from "./row-pages.ts";
import { hasLines, rowRequest, rowsRequest, wholeRequest, type RowsAsked } from "../rows/rows-request.ts";
import { serviceBeside, serviceSteps, serviceStrips } from "./service-steps.ts";
import { projectPath, type Service } from "./service.ts";
import { splitFieldPath } from "../../model/field-path.ts";

/** Rows that are read at a time where all are wanted. */
const MANY_ROWS = 250;

/** The rows of a service, and the request that answers a question about them. */
export interface ServiceRows extends RowSource {
  readonly requestOf: (query: RowQuery) => EvalResultsRequest;
}

/** Rows that were asked for with the answers. */
export interface FirstRows {
  readonly request: EvalResultsRequest;
  /** Null where they did not come. */
  readonly response: Promise<EvalResultsResponse | null>;
}

/** Rows of a project that a service has; those that come with the answers are not asked for a second time. */
export function serviceRows(
  service: Service,
  answers: Answers,
  firstRows: FirstRows | null = null,
): ServiceRows {
  const { summary, whole } = answers;
  const evaluations = answers.evaluations.map(({ id }) => id);
  const asked: RowsAsked = { evaluations, scope: scopeOf(answers.question) };
  const ask = asking(service, answers.project, firstRows);
  const one = async (question: EvalResultsRequest, signal: AbortSignal) => {
    const { rows } = await ask(question, signal);
    return rows[0] === undefined ? null : detailOf(rows[0], evaluations);
  };
  return {
    requestOf: (query) => rowsRequest(asked, query),
    find: async (query, signal) => {
      const question = rowsRequest(asked, query);
      const lines = ({ rows }: EvalResultsResponse) =>
        rows.map((row) => lineOf(detailOf(row, evaluations), query.score, hasLines(evaluations)));
      const first = await ask({ ...question, limit: PAGE_ROWS }, signal);
      const { find, ...pages } = linePages(lines(first), async (page, wanted) =>
        lines(await ask({ ...question, limit: PAGE_ROWS, offset: page * PAGE_ROWS }, wanted)),
      );
      const total = (whole ?? summary).row_count;
      const placeOf = (digest: string) => find((line) => line.digest === digest);
      return { count: first.total_rows, total, hasOutputs: hasLines(evaluations), ...pages, placeOf };
    },
    all: (query, signal) => allRows(ask, asked, query, signal),
    detail: (digest, signal) => one(rowRequest(asked, digest), signal),
    steps: ({ id }, signal) =>
      id === null ? Promise.resolve(null) : serviceSteps(service, answers.project, id, signal),
    strip: serviceStrips(service, answers.project),
    ...serviceBeside(service, answers.project, evaluations),
    whole: (wanted, signal) => one(wholeRequest(asked, evaluations[wanted.evaluation] ?? "", wanted), signal),
  };
}

type Ask = (body: EvalResultsRequest, signal: AbortSignal) => Promise<EvalResultsResponse>;

function asking(service: Service, project: string, firstRows: FirstRows | null): Ask {
  let coming = firstRows;
  return async (body, signal) => {
    const path = projectPath(project, "eval_results/query");
    const isComing = coming !== null && writeJson(coming.request) === writeJson(body);
    const come = isComing ? await coming?.response : null;
    // What was shown once may have changed.
    if (isComing) coming = null;
    return come ?? ((await service.post(path, body, signal)) as EvalResultsResponse);
  };
}

async function* allRows(
  ask: Ask,
  asked: RowsAsked,
  query: RowQuery,
  signal: AbortSignal,
): AsyncGenerator<readonly RowDetail[], void, undefined> {
  const question = rowsRequest(asked, query);
  const whole = {
    ...question,
    include_outputs: true,
    include_trial_errors: true,
    long_values: "whole",
  } as const;
  let count: number | null = null;
  for (let offset = 0; count === null || offset < count; offset += MANY_ROWS) {
    const { rows, total_rows: now } = await ask({ ...whole, limit: MANY_ROWS, offset }, signal);
    if (now !== (count ??= now)) throw new Error("The rows changed while they were read. Try again.");
    yield rows.map((row) => detailOf(row, asked.evaluations));
  }
}

/** A row as the page has it; of trials whose outputs were asked for as lines, these are the lines. */
function detailOf(row: ResultRow, evaluations: readonly string[]): RowDetail {
  const found = new Map(row.evaluations.map((one) => [one.evaluation_call_id, one]));
  return {
    digest: row.row_digest,
    input: row.raw_data_row,
    inputBytes: row.row_bytes ?? null,
    inputCut: false,
    editedInputs: row.edited === true ? evaluations.map((id) => found.get(id)?.raw_data_row) : null,
    editedBytes: evaluations.map((id) => found.get(id)?.row_bytes ?? null),
    trials: evaluations.map((id) => (found.get(id)?.trials ?? []).map(detailTrial)),
  };
}

function detailTrial(trial: Trial): DetailTrial {
  const { model_output: output, scores } = trial;
  return {
    id: trial.predict_and_score_call_id,
    output,
    outputBytes: trial.output_bytes ?? null,
    line: typeof output === "string" ? output : undefined,
    get scores() {
      return Object.entries(scores).flatMap(([key, value]) => leavesOf(key.replaceAll(".", "\\."), value));
    },
    score: (name) => valueAt(scores, splitFieldPath(name)),
    latency: trial.model_latency_seconds,
    tokens: trial.total_tokens,
    error: trial.error ?? null,
    details: trial.details ?? null,
  };
}

function valueAt(scores: JsonObject, path: readonly string[]): Json | undefined {
  let value: Json | undefined = scores;
  for (const name of path)
    value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

/** Values by the names of their dimensions. */
function leavesOf(name: string, value: Json): (readonly [string, Json])[] {
  if (!isJsonObject(value)) return [[name, value]];
  return Object.entries(value).flatMap(([key, member]) => leavesOf(`${name}.${key}`, member));
}
