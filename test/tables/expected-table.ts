import type { EvalResultsResponse, Json, Trial } from "../../src/index.ts";
import { parseJson } from "../../src/model/json.ts";

/** A table as plain values: texts of JSON as the values that they spell. */
export interface PlainTable {
  readonly names: readonly string[];
  readonly records: readonly (readonly unknown[])[];
}

type Leaf = boolean | number | bigint | string;
type Dimension = { readonly path: readonly string[]; readonly type: "double" | "boolean" | "text" };

/** The columns whose texts are JSON. */
const JSON_COLUMNS: ReadonlySet<string> = new Set(["model_output", "raw_data_row"]);

/** The leaves of the scores of a trial, in the order of their places. */
function leavesOf(scores: Json, path: readonly string[] = []): [readonly string[], Leaf][] {
  if (typeof scores === "object" && scores !== null && !Array.isArray(scores)) {
    return Object.entries(scores).flatMap(([name, value]) => leavesOf(value, [...path, name]));
  }
  return scores === null || typeof scores === "object" || path.length === 0 ? [] : [[path, scores]];
}

function trialsOf(response: EvalResultsResponse): Trial[] {
  return response.rows.flatMap((row) => row.evaluations.flatMap(({ trials }) => trials));
}

/** The dimensions of all trials of the requested evaluations. */
function dimensionsOf(everything: EvalResultsResponse): Dimension[] {
  const kinds = new Map<string, Set<string>>();
  for (const trial of trialsOf(everything)) {
    for (const [path, leaf] of leavesOf(trial.scores)) {
      const place = JSON.stringify(path);
      kinds.set(place, (kinds.get(place) ?? new Set()).add(typeof leaf));
    }
  }
  const dimensions = [...kinds].map(([place, found]): Dimension => {
    const number = found.has("number") || found.has("bigint");
    return {
      path: JSON.parse(place) as string[],
      type: number ? "double" : found.has("boolean") ? "boolean" : "text",
    };
  });
  return dimensions.toSorted((a, b) => compare(a.path, b.path));
}

function compare(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = Buffer.compare(Buffer.from(a[i] ?? ""), Buffer.from(b[i] ?? ""));
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function meet(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** Names meet where they differ in capitals only; then dots of members are escaped, then names numbered. */
function namesOf(dimensions: readonly Dimension[]): string[] {
  const written = dimensions.map(({ path }) => path.map((member) => member.split("\0").join("\ufffd")));
  const plain = written.map((path) => ["scores", ...path].join("."));
  const names: string[] = [];
  for (const [i, name] of plain.entries()) {
    const members = (written[i] ?? []).map((member) => member.split(".").join("\\."));
    const alone = plain.filter((other) => meet(other, name)).length === 1;
    const wanted = alone ? name : ["scores", ...members].join(".");
    let numbered = wanted;
    for (let n = 2; names.some((taken) => meet(taken, numbered)); n++) numbered = `${wanted} (${n})`;
    names.push(numbered);
  }
  return names;
}

function valueAt(trial: Trial, { path, type }: Dimension): unknown {
  const place = JSON.stringify(path);
  const leaf = leavesOf(trial.scores).find(([at]) => JSON.stringify(at) === place)?.[1];
  if (type === "double") return typeof leaf === "number" || typeof leaf === "bigint" ? Number(leaf) : null;
  if (type === "boolean") return typeof leaf === "boolean" ? leaf : null;
  return typeof leaf === "string" ? leaf : null;
}

/** The table of a response; `everything` is the response for the same evaluations without filters and page. */
export function expectedTable(
  response: EvalResultsResponse,
  everything: EvalResultsResponse,
  withRawRows: boolean,
): PlainTable {
  const dimensions = dimensionsOf(everything);
  const names = [
    "row_digest",
    "row_order",
    "evaluation_call_id",
    "trial_index",
    "predict_and_score_call_id",
    "predict_call_id",
    "model_latency_seconds",
    "total_tokens",
    "model_output",
    ...namesOf(dimensions),
    ...(withRawRows ? ["raw_data_row"] : []),
  ];
  const records: unknown[][] = [];
  for (const [order, row] of response.rows.entries()) {
    for (const evaluation of row.evaluations) {
      for (const [index, trial] of evaluation.trials.entries()) {
        records.push([
          row.row_digest,
          order,
          evaluation.evaluation_call_id,
          index,
          trial.predict_and_score_call_id,
          trial.predict_call_id,
          doubleOf(trial.model_latency_seconds),
          trial.total_tokens,
          trial.model_output,
          ...dimensions.map((dimension) => valueAt(trial, dimension)),
          ...(withRawRows ? [row.raw_data_row] : []),
        ]);
      }
    }
  }
  return { names, records };
}

/** A number of the response, which is a bigint where it is whole and long, as a column of doubles has it. */
function doubleOf(value: number | bigint | null): number | null {
  return value === null ? null : Number(value);
}

/** The columns that an export has beside a table. `test/import/exports.long.test.ts` tests what is in them. */
export const ADDED_COLUMNS: ReadonlySet<string> = new Set([
  "evaluation_name",
  "evaluation_ref",
  "model",
  "started_at",
  "ended_at",
  "evaluation_error",
  "trace_id",
  "dataset_ref",
  "started_after_seconds",
  "error",
  "details",
  "null_scores",
  "score_paths",
]);

/** Records as they were read back, with the JSON in them as values, without what exports add. */
export function plainTable(
  allNames: readonly string[],
  allRecords: readonly (readonly unknown[])[],
): PlainTable {
  const isOwn = (_: unknown, i: number) => !ADDED_COLUMNS.has(allNames[i] ?? "");
  const names = allNames.filter(isOwn);
  const records = allRecords.map((record) => record.filter(isOwn));
  const json = names.map((name) => JSON_COLUMNS.has(name));
  return {
    names,
    records: records.map((record) =>
      record.map((value, i) => (json[i] === true && typeof value === "string" ? parseJson(value) : value)),
    ),
  };
}
