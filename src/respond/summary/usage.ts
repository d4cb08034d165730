import { z } from "zod";
import type { Described } from "./described.ts";
import type { Interval } from "../../stats/estimates/mean.ts";
import type { RowSample, UsageSamples } from "../../plan/results.ts";
import { uncertaintyOf } from "./statistics.ts";

/** Statistics of what the rows of one evaluation used. */
export interface UsageStats {
  /** Mean of the rows' values. */
  readonly mean: number;
  /** 95 % interval of `mean` (Student's t); null for one row, and where all rows have one value. */
  readonly confidence_interval: Interval | null;
  /** Median of the rows' values. */
  readonly p50: number;
  /** 90th percentile of the rows' values, linear between two of them (type 7). */
  readonly p90: number;
  /** Rows with a value: the denominator of `mean`. */
  readonly known_count: number;
}

/** What the trials of an evaluation cost, in the currency of the prices and of the calls. */
export interface LeaderboardCost {
  /** Sum over the trials with a cost; null where none has one. */
  readonly total: number | null;
  /** Trials with a cost: those of which every model has a cost or a price. */
  readonly trial_count: number;
  /** Trials in `trial_count` whose calls carry their cost; the others are priced. */
  readonly carried_count: number;
}

/** What the steps of trials count, of the rows with a trial that has a step. */
export interface StepsUsage {
  /** Steps. */
  readonly count: UsageStats | null;
  /** Calls of models. */
  readonly chats: UsageStats | null;
  /** Calls of tools. */
  readonly tools: UsageStats | null;
  /** Steps that failed. */
  readonly errors: UsageStats | null;
  /** Tools that failed. */
  readonly tool_errors: UsageStats | null;
  /** Calls of tools with the arguments of an earlier one. */
  readonly repeats: UsageStats | null;
}

/** What the trials of one evaluation took together for each that passed; failed ones count in what is taken. */
export interface SuccessCost {
  /** `total` / `successes`; null without a success. */
  readonly value: number | null;
  /** 95 % interval of `value` over rows; null where fewer than five rows have a success. */
  readonly confidence_interval: Interval | null;
  /** Sum over the trials that say what they took; null where none does. */
  readonly total: number | null;
  /** Those of them that passed. */
  readonly successes: number;
  /** Trials on the rows of the summary. */
  readonly trial_count: number;
  /** Trials that say what they took. */
  readonly known_count: number;
  /**
   * Id of an evaluation of the answer whose mean success over rows is as high and whose mean use is as low, one of both
   * better; of several the best, then the one of least use. It describes, and is no verdict.
   */
  readonly dominated_by: string | null;
}

/** What a success took, by quantity. */
export interface PerSuccess {
  /** The dimension that says whether a trial passed. */
  readonly success: string;
  /** Tokens. */
  readonly total_tokens: SuccessCost;
  /** In seconds. */
  readonly latency_seconds: SuccessCost;
  /** Money; only with `include_costs` or `prices`. */
  readonly cost?: SuccessCost | undefined;
}

/**
 * What the rows of one evaluation used, added by `include_usage`. A row's value is the mean over its trials that have
 * one; null where no row has a value.
 */
export interface EvaluationUsage {
  /** In seconds: `model_latency_seconds` of the trials. */
  readonly latency_seconds: UsageStats | null;
  /** `total_tokens` of the trials. */
  readonly total_tokens: UsageStats | null;
  /** Money, in the currency of the prices; only with `include_costs` or `prices`. */
  readonly cost?: UsageStats | null | undefined;
  /** What steps count; only of an evaluation with steps. */
  readonly steps?: StepsUsage | undefined;
  /** What a success took; null where no dimension says which trials passed. */
  readonly per_success: PerSuccess | null;
}

const stats: z.ZodType<UsageStats | null> = z
  .object({
    mean: z.number().meta({ description: "mean of the rows' values" }),
    confidence_interval: z
      .tuple([z.number(), z.number()])
      .nullable()
      .meta({ description: "95 % interval of mean (Student's t)" }),
    p50: z.number().meta({ description: "median of the rows' values" }),
    p90: z.number().meta({ description: "90th percentile of the rows' values (type 7)" }),
    known_count: z.int().meta({ description: "rows with a value: the denominator of mean" }),
  })
  .nullable();

const successCost: z.ZodType<SuccessCost> = z.object({
  value: z.number().nullable().meta({ description: "total / successes" }),
  confidence_interval: z.tuple([z.number(), z.number()]).nullable().meta({ description: "95 %, over rows" }),
  total: z.number().nullable().meta({ description: "sum over trials that say it, failed ones included" }),
  successes: z.int().meta({ description: "those of them that passed" }),
  trial_count: z.int(),
  known_count: z.int().meta({ description: "trials that say it" }),
  dominated_by: z.string().nullable().meta({ description: "an evaluation as good for as little" }),
});

const perSuccess: z.ZodType<PerSuccess> = z.object({
  success: z.string().meta({ description: "the dimension that says whether a trial passed" }),
  total_tokens: successCost,
  latency_seconds: successCost,
  cost: successCost.optional(),
});

export const usageSchema: z.ZodType<EvaluationUsage> = z
  .object({
    latency_seconds: stats.meta({ description: "seconds; null where no row has a value" }),
    total_tokens: stats.meta({ description: "tokens; null where no row has a value" }),
    cost: stats.optional().meta({ description: "money; with include_costs or prices" }),
    steps: z
      .object({ count: stats, chats: stats, tools: stats, errors: stats, tool_errors: stats, repeats: stats })
      .optional()
      .meta({ description: "what steps count, of an evaluation with steps" }),
    per_success: perSuccess
      .nullable()
      .meta({ description: "what a success took; null where nothing says which trials passed" }),
  } satisfies Described<EvaluationUsage>)
  .meta({
    description: "with include_usage: what the rows used, a row's value being the mean of its trials",
  });

/** `samples` is undefined for an evaluation without trials; `withCost`: whether costs are wanted. */
export function usageOf(samples: UsageSamples | undefined, withCost: boolean): EvaluationUsage {
  return {
    latency_seconds: statsOf(samples?.latency_seconds ?? null),
    total_tokens: statsOf(samples?.total_tokens ?? null),
    ...(withCost ? { cost: statsOf(samples?.cost ?? null) } : {}),
    ...(samples?.steps === undefined ? {} : { steps: stepsOf(samples.steps) }),
    per_success: null,
  };
}

function stepsOf(samples: ReadonlyMap<string, RowSample>): StepsUsage {
  const of = (name: keyof StepsUsage) => statsOf(samples.get(name) ?? null);
  return {
    count: of("count"),
    chats: of("chats"),
    tools: of("tools"),
    errors: of("errors"),
    tool_errors: of("tool_errors"),
    repeats: of("repeats"),
  };
}

function statsOf(sample: RowSample | null): UsageStats | null {
  if (sample === null) return null;
  const { row_mean, confidence_interval, p50, p90, scored_row_count } = uncertaintyOf(sample, null);
  if (row_mean === null || p50 === null || p90 === null) return null;
  return { mean: row_mean, confidence_interval, p50, p90, known_count: scored_row_count };
}
