import { splitFieldPath } from "../../model/field-path.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { ResultRow, Trial } from "../../respond/query/response.ts";
import type { DetailTrial, RowDetail } from "../rows/row-source.ts";

/** A row as the page has it; of trials whose outputs were asked for as lines, these are the lines. */
export function detailOf(row: ResultRow, evaluations: readonly string[]): RowDetail {
  const trials = new Map(row.evaluations.map((one) => [one.evaluation_call_id, one.trials]));
  return {
    digest: row.row_digest,
    input: row.raw_data_row,
    inputCut: false,
    trials: evaluations.map((id) => (trials.get(id) ?? []).map(detailTrial)),
  };
}

function detailTrial(trial: Trial): DetailTrial {
  const { model_output: output, scores } = trial;
  return {
    output,
    line: typeof output === "string" ? output : undefined,
    get scores() {
      return Object.entries(scores).flatMap(([key, value]) => leavesOf(key.replaceAll(".", "\\."), value));
    },
    score: (name) => valueAt(scores, splitFieldPath(name)),
    latency: trial.model_latency_seconds,
    tokens: trial.total_tokens,
    error: trial.error ?? null,
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
