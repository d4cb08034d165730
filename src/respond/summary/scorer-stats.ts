import type { CountedTrials } from "../../model/counting.ts";
import { z } from "zod";
import type { Described } from "./described.ts";
import type { Interval } from "../../stats/estimates/mean.ts";
import { stopReasonsSchema, type StopReasons } from "./stop-reasons.ts";
import type { SlicedRows, SummarySlice, SummarySlicing } from "./slicing.ts";
import { usageSchema, type EvaluationUsage } from "./usage.ts";
import { STATISTICS, type Uncertainty } from "./statistics.ts";

/* Schemas of the members of a summary: they describe the reply and give the types of what is written. */

type Shape<Schemas extends Readonly<Record<string, z.ZodType>>> = {
  readonly [Name in keyof Schemas]: z.output<Schemas[Name]>;
};

const plain = {
  /** The scorer. */
  scorer_key: z.string(),
  /** Members below the scorer, joined by dots; null where the score itself is the value. */
  path: z.string().nullable(),
  /** The type of the dimension's values: numbers, booleans or texts. */
  value_type: z.enum(["continuous", "binary", "text"]),
  /** Trials with a value. */
  trial_count: z.int(),
  /** Trials with a numeric value. */
  numeric_count: z.int(),
  /** Mean of the numeric values over trials. */
  numeric_mean: z.number().nullable(),
  /** Trials with the value true. */
  pass_true_count: z.int(),
  /** Trials with the value true or false. */
  pass_known_count: z.int(),
  /** `pass_true_count` / `pass_known_count`. */
  pass_rate: z.number().nullable(),
  /** `pass_known_count` / `trial_count`. */
  pass_signal_coverage: z.number(),
};

const outcomes = {
  /** All trials of the evaluation on the rows of the summary. */
  expected_trial_count: z.int(),
  /** Trials not in error that have nothing at the dimension: no such member, or a list or an object. */
  missing_count: z.int(),
  /** Trials not in error that have JSON null at the dimension or on the way to it. */
  null_count: z.int(),
  /** Trials without a score whose call (or predict call) ended in an exception, or whose call has no output. */
  error_count: z.int(),
};

/**
 * Outcomes of the trials, added by `include_uncertainty`. Every trial of the evaluation on the rows of the summary
 * has exactly one of four: scored (`trial_count`), in error, null or missing.
 */
export type Outcomes = Shape<typeof outcomes>;

function byK<Value extends z.ZodType>(value: Value) {
  return z.record(z.string(), value);
}

const interval: z.ZodType<Interval | null> = z.tuple([z.number(), z.number()]).nullable();

const passK = {
  /** Probability that at least one of k trials passes, keyed by k. */
  pass_at_k: byK(z.number().nullable()),
  /** Probability that all of k trials pass, keyed by k. */
  pass_hat_k: byK(z.number().nullable()),
  /** Number of rows with at least as many trials as the largest k, the denominator of all k, keyed by k. */
  pass_k_row_count: byK(z.int()),
  /** 95 % confidence interval of `pass_at_k` over rows. */
  pass_at_k_confidence_interval: byK(interval),
  /** 95 % confidence interval of `pass_hat_k` over rows. */
  pass_hat_k_confidence_interval: byK(interval),
};

/**
 * Added by `pass_k` to dimensions whose trials are all true or false, or 0 or 1. Members are keyed by k and hold the
 * mean, over the rows with at least as many such trials as the largest k, of the probability that at least one
 * (`pass_at_k`) or all (`pass_hat_k`) of k trials pass; null where there is no such row.
 */
export type PassK = Shape<typeof passK>;

const histogram = z.object({
  edges: z
    .array(z.number())
    .meta({ description: "ascending, one more than bins; shared by the evaluations" }),
  counts: z
    .array(z.int())
    .meta({ description: "rows in each bin, which has its lower edge; the last has both" }),
} satisfies Described<Histogram>);

/**
 * The rows' values in bins of equal width, added by `histogram_bins` to dimensions that have a number in an evaluation
 * of the answer. Bin i holds values from `edges[i]` up to but not including `edges[i + 1]`; the last one holds its
 * upper edge too.
 */
export interface Histogram {
  /** Ascending, one more than bins, the same in all evaluations of the answer. */
  readonly edges: readonly number[];
  /** Rows in each bin; they add up to the rows with a value. */
  readonly counts: readonly number[];
}

/** Schemas of `CountedTrials`. */
export const countedTrials = {
  counted_error_count: z.int().optional().meta({
    description: "with count_errors_as: trials in error that count as a value; trial_count has them, too",
  }),
  counted_null_count: z.int().optional().meta({
    description: "with count_nulls_as: the same of trials that are not in error and have null",
  }),
} satisfies Readonly<Record<keyof CountedTrials, z.ZodType>>;

const rate = z.literal(true).optional().meta({
  description:
    "with include_uncertainty, pass_k or histogram_bins: all numbers are 0 or 1, and shown as a rate",
});

const better = z.literal("lower").nullable().describe("of numbers of steps: the better side, where one is");

const sliceValue = z.union([z.string(), z.number(), z.boolean()]);
const slicedRows = z.object({
  value: z.array(sliceValue),
  row_count: z.int(),
  trial_count: z.int().optional().meta({ description: "of slices that describe" }),
} satisfies Record<keyof SlicedRows, z.ZodType>);
const descriptive = z
  .literal(true)
  .meta({ description: "by output.details.<path>: of trials, by outcomes, so nothing is tested" });
const sliced = { value: z.array(sliceValue), trial_count: z.int() };

export const slices: z.ZodType<readonly SummarySlice[]> = z
  .array(
    z.union([
      z.object({
        ...sliced,
        scored_row_count: z.int(),
        row_mean: z.number().nullable(),
        pass_rate: z.number().nullable(),
        confidence_interval: interval.optional(),
      }),
      z.object({ ...sliced, mean: z.number().nullable(), descriptive }),
    ]),
  )
  .meta({ description: "with by: the slices in the order of slicing.values" });

export const slicing: z.ZodType<SummarySlicing> = z
  .object({
    fields: z.array(z.string()),
    slice_count: z.int(),
    overlapping: z.boolean(),
    others: z.array(slicedRows),
    values: z.array(slicedRows),
    fields_tried: z.array(z.string()).optional().meta({ description: "with by: auto alone" }),
    descriptive: descriptive.optional(),
  } satisfies Record<keyof SummarySlicing, z.ZodType>)
  .meta({ description: "with by: how rows fall into slices, those with most rows first" });

/** Statistics of one score dimension in one evaluation, without what only `include_uncertainty` adds. */
interface PlainStats extends Shape<typeof plain>, Partial<PassK>, CountedTrials {
  /** Only with `histogram_bins`, in dimensions that have a number. */
  readonly histogram?: Histogram;
  /** Whether all numbers are 0 or 1; only with `include_uncertainty`, `pass_k` or `histogram_bins`. */
  readonly rate?: true | undefined;
  /** Which side of a number of steps is better; null where nobody says. Absent of scores. */
  readonly better?: "lower" | null | undefined;
  /** In the order of `slicing.values`; only with `by`. */
  readonly slices?: readonly SummarySlice[];
}

/**
 * Statistics of one score dimension in one evaluation. `WithUncertainty`: what the request says of
 * `include_uncertainty`, as far as its type knows.
 */
export type ScorerStats<WithUncertainty extends boolean | null | undefined = boolean | null | undefined> =
  PlainStats &
    ([WithUncertainty] extends [true] ? Uncertainty & Outcomes : Partial<Uncertainty> & Partial<Outcomes>);

const statistics = Object.fromEntries(
  Object.entries(STATISTICS).map(([name, { schema, unit, formula }]) => [
    name,
    schema.meta({ description: unit === null ? formula : `${formula}; unit: ${unit}` }),
  ]),
);

/** Makes the members optional that only some requests ask for. */
function optional(schemas: Readonly<Record<string, z.ZodType>>) {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, schema.optional()]));
}

const added = { ...outcomes, ...passK, histogram, slices, ...countedTrials, rate, better } satisfies Record<
  Exclude<keyof PlainStats, keyof typeof plain> | keyof Outcomes,
  z.ZodType
>;
const scorerStats = z.looseObject({ ...plain, ...optional({ ...statistics, ...added }) });

/** Errors of an evaluation that have one text, where ids, times and other numbers are left out. */
export interface ErrorGroup {
  /** The first line, with `#` instead of what differs: `Error: 429 after # ms`. At most 200 characters. */
  readonly text: string;
  /** Trials, or scores of trials. */
  readonly count: number;
  /** Whether trials failed, or scorers on trials. */
  readonly kind: "trial" | "scorer";
  /** The scorer; null of trials. */
  readonly scorer: string | null;
  /** The exception of the first trial as it was stored; null where a call has neither an exception nor an output. */
  readonly example: string | null;
  /** The row of that trial. */
  readonly row_digest: string;
}

const errorGroup: z.ZodType<ErrorGroup> = z.object({
  text: z.string().meta({ description: "the first line, with # instead of ids and numbers" }),
  count: z.int().meta({ description: "trials, or scores of trials" }),
  kind: z.enum(["trial", "scorer"]),
  scorer: z.string().nullable(),
  example: z.string().nullable().meta({ description: "the first of them as it was stored" }),
  row_digest: z.string().meta({ description: "the row of that one" }),
} satisfies Described<ErrorGroup>);

const evaluation = {
  /** Id of the root call. */
  evaluation_call_id: z.string(),
  /** Trials on the rows of the summary. */
  trial_count: z.int(),
  /** One entry per score dimension. */
  scorer_stats: z.array(scorerStats) as z.ZodType<readonly ScorerStats[]>,
  /** Reference to the evaluation that ran. */
  evaluation_ref: z.string().nullable(),
  /** Reference to the model that was evaluated. */
  model_ref: z.string().nullable(),
  /** Human-readable name. */
  display_name: z.string().nullable(),
  /** Id of the trace that the root call belongs to. */
  trace_id: z.string().nullable(),
  /** ISO 8601 in UTC; null while the root call is not stored. */
  started_at: z.string().nullable(),
  /** Sum of the `total_tokens` of its trials; null where none has any. */
  predict_total_tokens: z.number().nullable(),
  /** Sum of the `total_cost` of its trials; null without `include_costs`, and where none has any. */
  predict_total_cost: z.number().nullable(),
  usage: usageSchema.optional(),
  row_count: z.int().optional().meta({ description: "with include_row_counts: rows with a trial of it" }),
  errors: z
    .array(errorGroup)
    .optional()
    .meta({ description: "with include_errors: at most 20 groups, the most frequent first" }),
  other_error_count: z.int().optional().meta({ description: "with include_errors: errors of other groups" }),
  ...stopReasonsSchema,
};

/** Metadata and statistics of one evaluation. */
export interface EvaluationSummary<
  WithUncertainty extends boolean | null | undefined = boolean | null | undefined,
>
  extends
    Partial<StopReasons>,
    Omit<
      Shape<typeof evaluation>,
      "scorer_stats" | "usage" | "row_count" | "errors" | "other_error_count" | keyof StopReasons
    > {
  /** One entry per score dimension. */
  readonly scorer_stats: readonly ScorerStats<WithUncertainty>[];
  /** Latency and tokens over the rows of the summary; only with `include_usage`. */
  readonly usage?: EvaluationUsage;
  /** Rows of the summary with at least one trial of the evaluation; only with `include_row_counts`. */
  readonly row_count?: number;
  /** Errors of trials and scorers, at most 20 groups, the most frequent first; only with `include_errors`. */
  readonly errors?: readonly ErrorGroup[];
  /** Errors that are in none of `errors`; only with `include_errors`. */
  readonly other_error_count?: number;
}

/** Statistics of the requested evaluations. */
export interface Summary<WithUncertainty extends boolean | null | undefined = boolean | null | undefined> {
  /** Number of rows that the summary covers. */
  readonly row_count: number;
  /** How these rows fall into slices; only with `by`. */
  readonly slicing?: SummarySlicing;
  /** Evaluations in the order of the request; those of other projects are left out. */
  readonly evaluations: readonly EvaluationSummary<WithUncertainty>[];
  /**
   * Sentences on trials without a value: with `count_errors_as` or `count_nulls_as` what they count as; with
   * `include_uncertainty`, where more than 5 % of an evaluation's failed or have no verdict, what its rates would be if
   * they counted as wrong or as right. Only where there is something to say.
   */
  readonly notes?: readonly string[];
}

/** Schema of a summary in the reply. */
export const summarySchema = z.looseObject({
  row_count: z.int(),
  slicing: slicing.optional(),
  evaluations: z.array(z.looseObject(evaluation satisfies Record<keyof EvaluationSummary, z.ZodType>)),
  notes: z
    .array(z.string())
    .optional()
    .meta({ description: "sentences on trials without a value, and on intervals that are missing" }),
} satisfies Record<keyof Summary, z.ZodType>);
