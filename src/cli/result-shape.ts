/** The part of an evaluation-results response that the tables show. */
export interface ResultResponse {
  readonly rows: readonly ResultRow[];
  readonly total_rows: number;
  readonly summary?: ResultSummary | null;
  readonly warnings?: readonly string[];
}

export interface ResultRow {
  readonly row_digest: string;
  readonly raw_data_row?: unknown;
  readonly evaluations: readonly {
    readonly evaluation_call_id: string;
    readonly trials: readonly { readonly scores: { readonly [key: string]: unknown } }[];
  }[];
}

export interface ResultSummary {
  readonly row_count: number;
  readonly evaluations: readonly {
    readonly evaluation_call_id: string;
    readonly trial_count: number;
    readonly scorer_stats: readonly {
      readonly scorer_key: string;
      readonly path?: string | null;
      readonly trial_count: number;
      readonly numeric_mean?: number | null;
      readonly pass_rate?: number | null;
    }[];
  }[];
}
