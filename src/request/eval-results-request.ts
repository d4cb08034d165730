import type { WireOperand } from "./wire.ts";

/** An evaluation-results request. Every member is optional; null, where it is allowed, means left out. */
export interface EvalResultsRequest {
  /** Ids of the root calls of the evaluations. */
  readonly evaluation_call_ids?: readonly string[] | null | undefined;
  /** Another name for `evaluation_call_ids`; the evaluations of both are meant. */
  readonly evaluation_run_ids?: readonly string[] | null | undefined;
  /** Keep only rows that every evaluation has. Default false. */
  readonly require_intersection?: boolean | undefined;
  /** Give the value of each row, or a reference to it. Default false. */
  readonly include_raw_data_rows?: boolean | undefined;
  /** With `include_raw_data_rows`: values instead of references. Default false. */
  readonly resolve_row_refs?: boolean | undefined;
  /** Give rows and their trials. Default true. */
  readonly include_rows?: boolean | undefined;
  /** Give the summary. Default false. */
  readonly include_summary?: boolean | undefined;
  /** `require_intersection` of the summary. Default: that of the rows. */
  readonly summary_require_intersection?: boolean | null | undefined;
  /** Let late scores count, and what predict and score calls say. Default true. */
  readonly include_predict_and_score_children?: boolean | undefined;
  /** Feedback with a number or boolean on the call of a trial counts as its score `feedback.<type>`. Default false. */
  readonly include_feedback?: boolean | null | undefined;
  /** Score dimensions by name, each an expression over others in the syntax of mathjs. At most 50. */
  readonly derived_scores?: Readonly<Record<string, string>> | null | undefined;
  /** Add errors over rows, distributions and outcomes to the summary. Default false. */
  readonly include_uncertainty?: boolean | null | undefined;
  /** The k of pass@k and pass^k, 1 to 1000, added to score dimensions that pass or fail. At most 50. */
  readonly pass_k?: readonly number[] | null | undefined;
  /** The order of the rows, the key that counts most first. Every order ends with the row digest. */
  readonly sort_by?: readonly SortKey[] | null | undefined;
  /** Which rows are kept. */
  readonly filters?: readonly Filter[] | null | undefined;
  /** Whether a row must satisfy all filters (`and`, default) or one of them. */
  readonly filter_logic_operator?: "and" | "or" | null | undefined;
  /** Rows of the page. Default: all. */
  readonly limit?: number | null | undefined;
  /** Rows before the page. Default 0. */
  readonly offset?: number | undefined;
}

/** What rows are sorted by. */
export interface SortKey {
  /** A field as in filters, such as `scores.judge.score` or `inputs.question`. */
  readonly field: string;
  /** Default `asc`. */
  readonly direction?: "asc" | "desc" | null | undefined;
  /** Sort by the values of this evaluation. Default: all that were requested. */
  readonly evaluation_call_id?: string | null | undefined;
  /** By the value (default), or by how far the evaluations differ. */
  readonly mode?: "value" | "difference" | undefined;
}

/** What rows must satisfy. */
export interface Filter {
  /** The condition, which is evaluated for each trial. */
  readonly query: { readonly $expr: Condition };
  /** Look at the trials of this evaluation. Default: all that were requested. */
  readonly evaluation_call_id?: string | null | undefined;
  /** Which trials of a row must satisfy it; `mean`: the mean of their values. Default `any`. */
  readonly quantifier?: "any" | "all" | "first" | "mean" | null | undefined;
}

/** An operation on fields and literals, such as `{ $gt: [{ $getField: "scores.points" }, { $literal: 1 }] }`. */
export type Condition = DeepReadonly<
  Exclude<WireOperand, { $literal: unknown } | { $getField: unknown } | { $convert: unknown }>
>;

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;
