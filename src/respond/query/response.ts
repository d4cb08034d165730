import type { Json } from "../../model/json.ts";
import type { Summary } from "../summary/scorer-stats.ts";

/** The response to an evaluation-results request. Integers beyond `Number.MAX_SAFE_INTEGER` are `bigint`. */
export interface EvalResultsResponse {
  readonly rows: readonly ResultRow[];
  /** Rows after filters and intersection, before paging; 0 when rows were not asked for. */
  readonly total_rows: number;
  readonly summary: Summary | null;
  readonly warnings: readonly string[];
}

export interface ResultRow {
  readonly row_digest: string;
  /** The row's value, a reference to it, or null when raw rows were not asked for. */
  readonly raw_data_row: Json;
  /** Evaluations with a trial on the row, in the order of the request. */
  readonly evaluations: readonly { readonly evaluation_call_id: string; readonly trials: readonly Trial[] }[];
}

export interface Trial {
  readonly predict_and_score_call_id: string;
  readonly predict_call_id: string | null;
  readonly model_output: Json;
  readonly scores: { readonly [scorerKey: string]: Json };
  readonly model_latency_seconds: number | null;
  readonly total_tokens: number | null;
  readonly scorer_call_ids: { readonly [scorerKey: string]: string };
}
