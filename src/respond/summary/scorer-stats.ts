import { z } from "zod";
import type { Interval } from "../../stats/estimates/mean.ts";
import { STATISTICS, type Uncertainty } from "./statistics.ts";

/* The members of a summary: what a reply is described by, and the types of what is written. */

type Shape<Schemas extends Readonly<Record<string, z.ZodType>>> = {
  readonly [Name in keyof Schemas]: z.output<Schemas[Name]>;
};

const plain = {
  /** The scorer. */
  scorer_key: z.string(),
  /** Members below the scorer, joined by dots; null where the score is a value itself. */
  path: z.string().nullable(),
  /** Numbers, booleans or texts. */
  value_type: z.enum(["continuous", "binary", "text"]),
  /** Trials with a value. */
  trial_count: z.int(),
  /** Trials with a number. */
  numeric_count: z.int(),
  /** Mean of the numbers over trials. */
  numeric_mean: z.number().nullable(),
  /** Trials with true. */
  pass_true_count: z.int(),
  /** Trials with true or false. */
  pass_known_count: z.int(),
  /** `pass_true_count` / `pass_known_count`. */
  pass_rate: z.number().nullable(),
  /** `pass_known_count` / `trial_count`. */
  pass_signal_coverage: z.number(),
};

const outcomes = {
  /** All of them. */
  expected_trial_count: z.int(),
  /** Not in error, and nothing at the place: no such member, or a list or an object. */
  missing_count: z.int(),
  /** Not in error, and JSON null at the place or on the way to it. */
  null_count: z.int(),
  /** No score, and the trial's call (or its predict call) ended in an exception, or its call has no output. */
  error_count: z.int(),
};

/**
 * What became of the trials, added by `include_uncertainty`. Every trial of the evaluation on the rows of the summary
 * is exactly one of four: scored (`trial_count`), in error, null or missing.
 */
export type Outcomes = Shape<typeof outcomes>;

function byK<Value extends z.ZodType>(value: Value) {
  return z.record(z.string(), value);
}

const interval: z.ZodType<Interval | null> = z.tuple([z.number(), z.number()]).nullable();

const passK = {
  /** By k: the chance that at least one of k trials passes. */
  pass_at_k: byK(z.number().nullable()),
  /** By k: the chance that all of k trials pass. */
  pass_hat_k: byK(z.number().nullable()),
  /** The rows that count: the denominator. */
  pass_k_row_count: byK(z.int()),
  /** Of `pass_at_k`, over rows, at 95 %. */
  pass_at_k_confidence_interval: byK(interval),
  /** Of `pass_hat_k`, over rows, at 95 %. */
  pass_hat_k_confidence_interval: byK(interval),
};

/**
 * Added by `pass_k` to dimensions whose trials are all true or false, or 0 or 1. By k: the mean, over the rows with
 * at least k such trials, of the chance that at least one (`pass_at_k`) or all (`pass_hat_k`) of k trials pass; null
 * where no row has k.
 */
export type PassK = Shape<typeof passK>;

/** Statistics of one score dimension in one evaluation. */
export interface ScorerStats
  extends Shape<typeof plain>, Partial<Uncertainty>, Partial<Outcomes>, Partial<PassK> {}

const statistics = Object.fromEntries(
  Object.entries(STATISTICS).map(([name, { schema, unit, formula }]) => [
    name,
    schema.meta({ description: unit === null ? formula : `${formula}; unit: ${unit}` }),
  ]),
);

/** Members that only some requests ask for. */
function optional(schemas: Readonly<Record<string, z.ZodType>>) {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, schema.optional()]));
}

const scorerStats = z.looseObject({ ...plain, ...optional({ ...statistics, ...outcomes, ...passK }) });

const evaluation = {
  /** Id of the root call. */
  evaluation_call_id: z.string(),
  /** Trials on the rows of the summary. */
  trial_count: z.int(),
  /** One for each score dimension. */
  scorer_stats: z.array(scorerStats) as z.ZodType<readonly ScorerStats[]>,
  /** Reference to the evaluation that ran. */
  evaluation_ref: z.string().nullable(),
  /** Reference to the model that was evaluated. */
  model_ref: z.string().nullable(),
  /** Name for people. */
  display_name: z.string().nullable(),
  /** Id of the trace that the root call belongs to. */
  trace_id: z.string().nullable(),
  /** ISO 8601 in UTC; null while the root call is not stored. */
  started_at: z.string().nullable(),
};

/** What is known of one evaluation. */
export interface EvaluationSummary extends Shape<typeof evaluation> {}

/** Statistics of the requested evaluations. */
export interface Summary {
  /** Rows that the summary is about. */
  readonly row_count: number;
  /** In the order of the request; those of other projects are left out. */
  readonly evaluations: readonly EvaluationSummary[];
}

/** A summary as the reply has it. */
export const summarySchema = z.looseObject({
  row_count: z.int(),
  evaluations: z.array(z.looseObject(evaluation)),
});
