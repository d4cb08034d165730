import { z } from "zod";
import { PERCENTILES, type RowSample } from "../../plan/results.ts";
import {
  chooseInterval,
  type ChosenInterval,
  type IntervalMethod,
} from "../../stats/estimates/choose-interval.ts";
import type { Interval } from "../../stats/estimates/mean.ts";
import { clusteredError } from "./cluster-error.ts";
import { exactAverage, exactDeviation, exactStandardError } from "./exact-moments.ts";

/** Intermediate results that the statistics of one dimension in one evaluation are taken from. */
interface Estimates {
  readonly sample: RowSample;
  readonly mean: number;
  readonly standardError: number | null;
  readonly chosen: ChosenInterval;
}

interface Statistic<Value> {
  readonly schema: z.ZodType<Value>;
  /** null where the statistic is not a quantity. */
  readonly unit: string | null;
  readonly formula: string;
  /** The statistic where no row has a value. */
  readonly none: Value;
  readonly of: (estimates: Estimates) => Value;
}

const number = z.number().nullable();
const interval: z.ZodType<Interval | null> = z.tuple([z.number(), z.number()]).nullable();
const method: z.ZodType<IntervalMethod | null> = z.enum(["wilson", "student-t", "clustered-t"]).nullable();

/** Makes a statistic that is null where it does not exist. */
function nullable<Value>(
  schema: z.ZodType<Value | null>,
  unit: string | null,
  formula: string,
  of: (estimates: Estimates) => Value | null,
): Statistic<Value | null> {
  return { schema, unit, formula, none: null, of };
}

function percentile(percent: (typeof PERCENTILES)[number]): Statistic<number | null> {
  return nullable(
    number,
    "score",
    `${percent}th percentile of the rows' values, linear between two of them (type 7)`,
    ({ sample }) => sample.percentiles[PERCENTILES.indexOf(percent)] ?? null,
  );
}

/**
 * The statistics that `include_uncertainty` adds to a scorer stat. Rows are the sampling unit: a row's value is the
 * mean of its trials, and every statistic here is over the rows' values. They are numbers where the dimension is
 * continuous and 1 and 0 for true and false where it is binary; a text dimension has none.
 */
export const STATISTICS = {
  /** Mean of the rows' values. */
  row_mean: nullable(number, "score", "mean of the rows' values", ({ mean }) => mean),
  /** Rows with a value: the denominator of `row_mean`. */
  scored_row_count: {
    schema: z.int() as z.ZodType<number>,
    unit: "rows",
    formula: "rows with a value: the denominator of row_mean",
    none: 0,
    of: ({ sample }: Estimates) => sample.moments.n,
  },
  /** Standard error of `row_mean` over rows; null for one row. */
  standard_error: nullable(number, "score", "stddev / √scored_row_count", (one) => one.standardError),
  /** 95 % confidence interval of `row_mean`. */
  confidence_interval: nullable(
    interval,
    "score",
    "95 % interval of row_mean by interval_method",
    ({ chosen }) => chosen.confidence_interval,
  ),
  /** How `confidence_interval` was computed. */
  interval_method: nullable(
    method,
    null,
    "Wilson's interval for rates, with row_mean (1 − row_mean) / standard_error² rows where some have several trials, else Student's t",
    ({ chosen }) => chosen.interval_method,
  ),
  /** The sample standard deviation of the rows' values. */
  stddev: nullable(number, "score", "√(Σ(value − row_mean)² / (scored_row_count − 1))", ({ sample }) =>
    exactDeviation(sample.moments),
  ),
  /** Smallest of the rows' values. */
  min: nullable(number, "score", "least of the rows' values", ({ sample }) => sample.min),
  /** Largest of the rows' values. */
  max: nullable(number, "score", "largest of the rows' values", ({ sample }) => sample.max),
  /** Median of the rows' values. */
  p50: percentile(50),
  /** 90th percentile of the rows' values. */
  p90: percentile(90),
  /** 99th percentile of the rows' values. */
  p99: percentile(99),
};

type Statistics = typeof STATISTICS;

/**
 * Added to a scorer stat by `include_uncertainty`. Rows are the sampling unit: a row's value is the mean of its
 * trials, and everything from `row_mean` to `p99` is over the rows' values. A quantity that does not exist is null.
 */
export type Uncertainty = { readonly [Name in keyof Statistics]: ReturnType<Statistics[Name]["of"]> };

function fromTable(value: (statistic: Statistics[keyof Statistics]) => unknown): Uncertainty {
  const members = Object.entries(STATISTICS).map(([name, statistic]) => [name, value(statistic)]);
  return Object.fromEntries(members) as Uncertainty;
}

const NO_SAMPLE = fromTable(({ none }) => none);

/** `trialMean` is the mean over trials; it equals the mean over rows where each row has one trial. */
export function uncertaintyOf(sample: RowSample | null, trialMean: number | null): Uncertainty {
  if (sample === null) return NO_SAMPLE;
  const mean = sample.single && trialMean !== null ? trialMean : exactAverage(sample.moments);
  const estimated = intervalOf(sample, mean);
  return fromTable(({ of }) => of({ sample, mean, ...estimated }));
}

/** The error and the 95 % interval of the mean of a sample, over rows or over their clusters. */
export function intervalOf(
  { moments, single, zeroOne, clusters }: Pick<RowSample, "moments" | "zeroOne" | "single" | "clusters">,
  mean: number,
): Pick<Estimates, "standardError" | "chosen"> {
  const clustered =
    clusters === undefined ? null : clusteredError(clusters.clusters, { unit: 1n, ...clusters });
  const standardError = clustered === null ? exactStandardError(moments) : clustered.error;
  const rows = { n: moments.n, mean, standardError, zeroOne, single };
  const chosen = chooseInterval(clustered === null ? rows : { ...rows, clusterDf: clustered.df || null });
  return { standardError, chosen };
}
