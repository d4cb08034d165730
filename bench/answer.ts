/** The response of the service to a question, as plain objects. */
export interface Answer {
  readonly rows: readonly AnswerRow[];
  readonly total_rows: number;
  readonly summary: AnswerSummary | null;
  readonly warnings: readonly string[];
}

export interface AnswerRow {
  readonly row_digest: string;
  readonly raw_data_row: unknown;
  readonly evaluations: readonly AnswerEvaluation[];
}

export interface AnswerEvaluation {
  readonly evaluation_call_id: string;
  readonly trials: readonly AnswerTrial[];
}

export interface AnswerTrial {
  readonly predict_and_score_call_id: string;
  readonly predict_call_id: string | null;
  readonly model_output: unknown;
  readonly scores: Readonly<Record<string, unknown>>;
  readonly model_latency_seconds: number | null;
  readonly total_tokens: number | null;
  readonly scorer_call_ids: Readonly<Record<string, string>>;
}

export interface AnswerSummary {
  readonly row_count: number;
  readonly evaluations: readonly SummaryEvaluation[];
}

export interface SummaryEvaluation {
  readonly evaluation_call_id: string;
  readonly trial_count: number;
  readonly scorer_stats: readonly ScorerStat[];
  readonly evaluation_ref: string | null;
  readonly model_ref: string | null;
  readonly display_name: string | null;
  readonly trace_id: string | null;
  readonly started_at: string | null;
}

export interface ScorerStat {
  readonly scorer_key: string;
  readonly path: string | null;
  readonly trial_count: number;
  readonly numeric_count: number;
  readonly numeric_mean: number | null;
  readonly pass_true_count: number;
  readonly pass_known_count: number;
  readonly pass_rate: number | null;
  readonly pass_signal_coverage: number;
}

/** What a subject answers that holds less than the calls: no trials, only which rows, or only the statistics. */
export interface PartialAnswer {
  readonly total_rows?: number;
  readonly row_digests?: readonly string[];
  readonly scorer_stats?: readonly (readonly ScorerStat[])[];
}
