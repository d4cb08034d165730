import { EVALUATION, mappedTable } from "../readers/report-table.ts";
import { cellText, type TableReader } from "../readers/table-reader.ts";
import { omit } from "../../../read/members.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../../model/json.ts";
import type { TableMapping } from "../../../translate/table-mapping.ts";

const FEEDBACK = "feedback.";

/** LangSmith: `get_test_results`. */
export const langsmith: TableProfile = {
  name: "LangSmith",
  fits: ({ columns }) =>
    [["input.", "inputs."], ["outputs.", "output."], [FEEDBACK]].every(
      (begins) => columnsFrom(columns, ...begins).length > 0,
    ),
  rename: (column) => (column.startsWith(FEEDBACK) ? column.slice(FEEDBACK.length) : column),
  roles: (columns) =>
    rolesOf({
      row: present(columns, "reference_example_id"),
      input: columnsFrom(columns, "input.", "inputs."),
      expected: columnsFrom(columns, "reference."),
      output: columnsFrom(columns, "outputs.", "output."),
      score: columnsFrom(columns, FEEDBACK),
      trial: present(columns, "id"),
      latency: present(columns, "execution_time"),
      error: present(columns, "error"),
    }),
};

/** Ragas: `to_pandas`, `to_csv`. */
export const ragas: TableProfile = {
  name: "Ragas",
  fits: ({ columns }) => columns.includes("user_input") && columns.includes("response"),
  // The index of a data frame.
  rename: (column) => (/^(column 1|Unnamed: 0)$/.test(column) ? null : column),
  roles: (columns) => ({
    row: [],
    input: present(columns, "user_input", "reference", "reference_contexts"),
    output: "response",
  }),
  scoresAreNumbers: true,
};

const MLFLOW_SCORE = /(\/v\d+)?\/(score|value)$/;
const MLFLOW_EXPECTATION = /^(expected_|expectation).*\/value$/;

/** MLflow: `eval_results_table.json`. */
export const mlflow: TableProfile = {
  name: "MLflow",
  fits: ({ columns, shape }) => shape === "split" || columns.some((column) => MLFLOW_SCORE.test(column)),
  rename: (column) => column.replace(MLFLOW_SCORE, ""),
  roles: (columns) =>
    rolesOf({
      input: [...present(columns, "inputs", "request").slice(0, 1), ...columnsFrom(columns, "inputs/")],
      output: present(columns, "outputs", "predictions", "response").slice(0, 1),
      expected: [
        ...present(columns, "targets", "expectations").slice(0, 1),
        ...columnsFrom(columns, "expectations/").filter((column) => !MLFLOW_SCORE.test(column)),
        ...columns.filter((column) => MLFLOW_EXPECTATION.test(column)),
      ],
      score: columns.filter((column) => MLFLOW_SCORE.test(column) && !MLFLOW_EXPECTATION.test(column)),
    }),
};

/** Langfuse: scores, or items of a dataset run. */
export const langfuse: TableProfile = {
  name: "Langfuse",
  fits: ({ columns }) => present(columns, "traceId", "name", "value", "dataType").length === 4,
  // What a score of categories or truth values says; its `value` is a number that stands for it.
  open: (reader) =>
    mappedTable(reader, ({ stringValue, ...record }) =>
      hasValue(stringValue) ? { ...record, value: stringValue } : record,
    ),
  roles: (columns) => {
    const items = present(columns, "datasetItemId");
    return rolesOf({
      row: items.length > 0 ? items : ["traceId"],
      trial: items.length > 0 ? ["traceId"] : [],
      metric: ["name"],
      value: ["value"],
      evaluation: present(columns, "datasetRunName", "datasetRunId", "runName").slice(0, 1),
    });
  },
};

const BESIDE = /\.(label|explanation|error)$/;

/** Phoenix: an experiment with its runs and their evaluations. */
export const phoenix: TableProfile = {
  name: "Phoenix",
  fits: ({ shape }) => shape === "experiment",
  rename: (column) => (column.startsWith(EVALUATION) ? column.slice(EVALUATION.length) : column),
  roles: (columns) =>
    rolesOf({
      row: ["dataset_example_id"],
      trial: present(columns, "repetition_number"),
      output: present(columns, "output"),
      error: present(columns, "error"),
      started: present(columns, "start_time"),
      latency: present(columns, "latency"),
      evaluation: present(columns, "experiment_id"),
      score: columnsFrom(columns, EVALUATION).filter((column) => !BESIDE.test(column)),
      metadata: columnsFrom(columns, EVALUATION).filter((column) => BESIDE.test(column)),
    }),
};

const SCORES = "scores.";
const LATENCY = "latency";
const TOKENS = "tokens";
const MEMBERS = ["span_id", "root_span_id", "input"];

/** Braintrust: the events of an experiment. Spans below the root of a trace are steps of a trial. */
export const braintrust: TableProfile = {
  name: "Braintrust",
  fits: ({ columns }) =>
    present(columns, ...MEMBERS).length === MEMBERS.length &&
    (columns.includes("scores") || columnsFrom(columns, SCORES).length > 0),
  open: rootSpans,
  rename: (column) => (column.startsWith(SCORES) ? column.slice(SCORES.length) : column),
  roles: (columns) => ({
    row: present(columns, "dataset_record_id"),
    ...rolesOf({
      input: ["input"],
      expected: present(columns, "expected"),
      output: present(columns, "output"),
      score: columnsFrom(columns, SCORES),
      trial: ["span_id"],
      evaluation: present(columns, "experiment_id"),
      started: present(columns, "created"),
      latency: present(columns, LATENCY),
      tokens: present(columns, TOKENS),
      error: present(columns, "error"),
    }),
  }),
};

/** The root spans, with a member for each score, the latency and the tokens. */
async function rootSpans(reader: TableReader): Promise<TableReader> {
  let isOfDataset = true;
  const spans = await mappedTable(reader, (record) => {
    if (!isRoot(record)) return null;
    isOfDataset &&= hasValue(record["dataset_record_id"]);
    const { scores: _, ...others } = record;
    const scores = Object.entries(objectIn(record, "scores")).map(([name, value]) => [
      `${SCORES}${name}`,
      value,
    ]);
    const [start, end] = [metricOf(record, "start"), metricOf(record, "end")];
    const tokens = metricOf(record, "tokens");
    return {
      ...(Object.fromEntries(scores) as JsonObject),
      ...others,
      ...(start === null || end === null ? {} : { [LATENCY]: end - start }),
      ...(tokens === null ? {} : { [TOKENS]: tokens }),
    };
  });
  if (isOfDataset) return spans;
  return await mappedTable(spans, (record) => omit(record, ["dataset_record_id"]));
}

function isRoot(record: JsonObject): boolean {
  const stated = record["is_root"];
  if (hasValue(stated)) return cellText(stated).toLowerCase() === "true";
  return record["span_id"] === record["root_span_id"];
}

function hasValue(cell: Json | undefined): cell is Exclude<Json, null> {
  return cell !== undefined && cell !== null && cell !== "";
}

/** A member that is an object, or the text of one. */
function objectIn(record: JsonObject, name: string): JsonObject {
  const cell = record[name];
  if (isJsonObject(cell)) return cell;
  if (typeof cell !== "string" || !cell.startsWith("{")) return {};
  try {
    const parsed = JSON.parse(cell) as Json;
    return isJsonObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

function metricOf(record: JsonObject, name: string): number | null {
  const cell = record[`metrics.${name}`] ?? objectIn(record, "metrics")[name];
  const number = hasValue(cell) ? Number(cell) : Number.NaN;
  return Number.isFinite(number) ? number : null;
}

/** What is known of the tables of one tool. */
export interface TableProfile {
  readonly name: string;
  readonly fits: (reader: TableReader) => boolean;
  /** Reads the table in another way, such as without records that are no trials. */
  readonly open?: (reader: TableReader) => Promise<TableReader>;
  /** The name of a column, where it has another one; null for a column that says nothing. */
  readonly rename?: (column: string) => string | null;
  /** The roles of columns, by the names in the header. Roles of which nothing is known are absent. */
  readonly roles: (columns: readonly string[]) => TableMapping;
  /** Whether every other column of numbers or booleans is a score. */
  readonly scoresAreNumbers?: boolean;
}

/** Those of these columns that are there. */
export function present(columns: readonly string[], ...names: readonly string[]): string[] {
  return names.filter((name) => columns.includes(name));
}

export function columnsFrom(columns: readonly string[], ...begins: readonly string[]): string[] {
  return columns.filter((column) => begins.some((begin) => column.startsWith(begin)));
}

/** The roles that have a column. */
export function rolesOf(roles: { readonly [role in keyof TableMapping]?: readonly string[] }): TableMapping {
  return Object.fromEntries(Object.entries(roles).filter(([, columns]) => columns.length > 0));
}
