import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { splitFieldPath } from "../../model/field-path.ts";
import type { ResultRow, Trial } from "../../respond/query/response.ts";
import { errorLine } from "../../model/one-line.ts";
import { inputLine } from "../rows/input-line.ts";
import type { DetailTrial, RowDetail, RowLine } from "../rows/row-source.ts";
import { hasLines } from "./rows-request.ts";

/** A line of the table, without anything else of the row. */
export function lineOf(row: ResultRow, evaluations: readonly string[], score: string | null): RowLine {
  const path = score === null ? [] : splitFieldPath(score);
  return {
    digest: row.row_digest,
    input: inputLine(row.raw_data_row),
    values: evaluations.map((id) => valueOf(trialsOf(row, id), path)),
    outputs: hasLines(evaluations) ? evaluations.map((id) => saidIn(trialsOf(row, id))) : [],
  };
}

/** What the first trial said, of which the request asks for a line. */
function saidIn([trial]: readonly Trial[]): string | null | undefined {
  if (trial?.error != null) return errorLine(trial.error);
  return typeof trial?.model_output === "string" ? trial.model_output : undefined;
}

/** A row with all its trials. */
export function detailOf(row: ResultRow, evaluations: readonly string[]): RowDetail {
  return {
    digest: row.row_digest,
    input: row.raw_data_row,
    inputCut: false,
    trials: evaluations.map((id) => trialsOf(row, id).map(detailTrial)),
  };
}

function trialsOf({ evaluations }: ResultRow, id: string): readonly Trial[] {
  return evaluations.find((one) => one.evaluation_call_id === id)?.trials ?? [];
}

function valueOf(trials: readonly Trial[], path: readonly string[]): number | null | undefined {
  if (trials.length === 0) return undefined;
  const values = trials.flatMap(({ scores }) => numberAt(scores, path));
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function numberAt(scores: JsonObject, path: readonly string[]): number[] {
  let value: Json | undefined = scores;
  for (const name of path)
    value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return typeof value === "number" || typeof value === "boolean" ? [Number(value)] : [];
}

function detailTrial(trial: Trial): DetailTrial {
  return {
    output: trial.model_output,
    scores: Object.entries(trial.scores).flatMap(([key, value]) =>
      leavesOf(key.replaceAll(".", "\\."), value),
    ),
    latency: trial.model_latency_seconds,
    tokens: trial.total_tokens,
    error: trial.error ?? null,
  };
}

/** Values by the names of their dimensions. */
function leavesOf(name: string, value: Json): (readonly [string, Json])[] {
  if (!isJsonObject(value)) return [[name, value]];
  return Object.entries(value).flatMap(([key, member]) => leavesOf(`${name}.${key}`, member));
}
