import type { Json } from "../../model/json.ts";
import type { Summary } from "../summary/scorer-stats.ts";

/**
 * The response to an evaluation-results request. Integers beyond `Number.MAX_SAFE_INTEGER` are `bigint`. `WithSummary`
 * and `WithUncertainty`: what the request says of `include_summary` and `include_uncertainty`, as far as its type
 * knows.
 */
export interface EvalResultsResponse<
  WithSummary extends boolean | undefined = boolean | undefined,
  WithUncertainty extends boolean | null | undefined = boolean | null | undefined,
> {
  /** The page of rows; empty when rows were not asked for. */
  readonly rows: readonly ResultRow[];
  /** Rows after filters and intersection, before paging; 0 when rows were not asked for. */
  readonly total_rows: number;
  /** Null unless `include_summary` was set. */
  readonly summary: [WithSummary] extends [true] ? Summary<WithUncertainty> : Summary<WithUncertainty> | null;
  /** Remarks on the request for the reader. */
  readonly warnings: readonly string[];
}

/** A dataset row with its trials. */
export interface ResultRow {
  /** Digest of the row, the same in every evaluation. */
  readonly row_digest: string;
  /** The row's value, a reference to it, or null when raw rows were not asked for. */
  readonly raw_data_row: Json;
  /** Bytes of JSON of the whole `raw_data_row`, where `long_values` cut it. */
  readonly row_bytes?: number;
  /**
   * True where the row has a key and its evaluations hold different rows of it: `raw_data_row` is that of the one that
   * started last.
   */
  readonly edited?: true;
  /** Evaluations with a trial on the row, in the order of the request. */
  readonly evaluations: readonly RowEvaluation[];
}

/** The trials of an evaluation on a row. */
export interface RowEvaluation {
  /** Id of the evaluation. */
  readonly evaluation_call_id: string;
  /** By start, then id. */
  readonly trials: readonly Trial[];
  /** What this evaluation has of an edited row. */
  readonly raw_data_row?: Json;
  /** Bytes of JSON of the whole `raw_data_row`, where `long_values` cut it. */
  readonly row_bytes?: number;
}

/** One run of the model on a row. */
export interface Trial {
  /** Id of the call that predicted and scored. */
  readonly predict_and_score_call_id: string;
  /** Id of the model's call below it. */
  readonly predict_call_id: string | null;
  /** The model's answer. */
  readonly model_output: Json;
  /** Bytes of JSON of the whole `model_output`, where `long_values` cut it. */
  readonly output_bytes?: number;
  /** Scores by scorer: stored, derived and from feedback. */
  readonly scores: { readonly [scorerKey: string]: Json };
  /** Duration of the model's call in seconds. */
  readonly model_latency_seconds: number | null;
  /** Prompt and completion tokens of the model's call. */
  readonly total_tokens: number | null;
  /** Ids of the score calls, by scorer. */
  readonly scorer_call_ids: { readonly [scorerKey: string]: string };
  /** What the model's call cost; null without `include_costs`, and where that is not known. */
  readonly total_cost: number | null;
  /** Spans of another tracing tool that the model's call names; null where it names none. */
  readonly genai_span_ref: readonly { readonly span_id: string; readonly trace_id: string }[] | null;
  /**
   * Text of the exception that ended the trial's call, else its predict call; null where neither has one. Only with
   * `include_trial_errors`.
   */
  readonly error?: string | null;
  /**
   * What the output tells beside answer and scores, such as columns of an imported table; only with `include_details`.
   */
  readonly details?: Json;
}
