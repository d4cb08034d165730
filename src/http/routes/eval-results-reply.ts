import { z } from "zod";

const trial = z.object({
  predict_and_score_call_id: z.string(),
  predict_call_id: z.string().nullable(),
  model_output: z.unknown(),
  scores: z.looseObject({}),
  model_latency_seconds: z.number().nullable(),
  total_tokens: z.int().nullable(),
  scorer_call_ids: z.record(z.string(), z.string()),
});

const row = z.object({
  row_digest: z.string(),
  raw_data_row: z.unknown(),
  evaluations: z.array(z.object({ evaluation_call_id: z.string(), trials: z.array(trial) })),
});

const quantity = z.number().nullable().optional();
const interval = z.tuple([z.number(), z.number()]).nullable();

/** With `include_uncertainty`. */
const withUncertainty = {
  row_mean: quantity,
  scored_row_count: z.int().optional(),
  standard_error: quantity,
  confidence_interval: interval.optional(),
  interval_method: z.enum(["wilson", "student-t", "clustered-t"]).nullable().optional(),
  bootstrap_confidence_interval: interval.optional(),
  bootstrap: z
    .object({ method: z.literal("bca"), unit: z.literal("row"), resamples: z.int(), seed: z.int() })
    .nullable()
    .optional(),
  stddev: quantity,
  min: quantity,
  max: quantity,
  p50: quantity,
  p90: quantity,
  p99: quantity,
  expected_trial_count: z.int().optional(),
  missing_count: z.int().optional(),
  null_count: z.int().optional(),
  error_count: z.int().optional(),
};

/** With `pass_k`: by k. */
const withPassK = {
  pass_at_k: z.record(z.string(), z.number().nullable()).optional(),
  pass_hat_k: z.record(z.string(), z.number().nullable()).optional(),
  pass_k_row_count: z.record(z.string(), z.int()).optional(),
  pass_at_k_confidence_interval: z.record(z.string(), interval).optional(),
  pass_hat_k_confidence_interval: z.record(z.string(), interval).optional(),
};

const scorerStats = z.looseObject({
  scorer_key: z.string(),
  path: z.string().nullable(),
  value_type: z.enum(["continuous", "binary", "text"]),
  trial_count: z.int(),
  numeric_count: z.int(),
  numeric_mean: z.number().nullable(),
  pass_true_count: z.int(),
  pass_known_count: z.int(),
  pass_rate: z.number().nullable(),
  pass_signal_coverage: z.number().nullable(),
  ...withUncertainty,
  ...withPassK,
});

const evaluationSummary = z.looseObject({
  evaluation_call_id: z.string(),
  trial_count: z.int(),
  scorer_stats: z.array(scorerStats),
  evaluation_ref: z.string().nullable(),
  model_ref: z.string().nullable(),
  display_name: z.string().nullable(),
  trace_id: z.string().nullable(),
  started_at: z.string().nullable(),
});

export const evalResultsSchema = z
  .object({
    rows: z.array(row),
    total_rows: z.int(),
    summary: z.looseObject({ row_count: z.int(), evaluations: z.array(evaluationSummary) }).nullable(),
    warnings: z.array(z.string()),
  })
  .meta({ id: "EvalResults" });
