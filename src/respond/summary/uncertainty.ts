import { chooseInterval, type IntervalMethod } from "../../stats/estimates/choose-interval.ts";
import type { Interval } from "../../stats/estimates/mean.ts";
import { passAtK, passHatK } from "../../stats/estimates/pass-k.ts";
import { exactAverage, exactDeviation, exactStandardError } from "./exact-moments.ts";
import type { BootstrapDescription, RowBootstrap } from "./row-bootstrap.ts";
import type { RowSample, RowTally } from "./row-samples.ts";

/**
 * Added to a scorer stat by `include_uncertainty`. Rows are the sampling unit: a row's value is the mean of its
 * trials, and everything from `row_mean` to `p99` is over the rows' values: numbers where the dimension is
 * continuous, true and false as 1 and 0 where it is binary, nothing where it is text. null where a quantity does not
 * exist.
 */
export interface Uncertainty {
  /** Mean of the rows' values. */
  readonly row_mean: number | null;
  /** Rows with a value: the denominator of `row_mean`. */
  readonly scored_row_count: number;
  /** Of `row_mean`, over rows: `stddev` / √`scored_row_count`; null for one row. */
  readonly standard_error: number | null;
  /** Of `row_mean`, at 95 %. */
  readonly confidence_interval: Interval | null;
  /** How `confidence_interval` was found. */
  readonly interval_method: IntervalMethod | null;
  /** Beside Student's t where rows are fewer than 30: the same by resampling them. */
  readonly bootstrap_confidence_interval: Interval | null;
  /** How that interval was found. */
  readonly bootstrap: BootstrapDescription<"bca"> | null;
  /** The sample standard deviation of the rows' values. */
  readonly stddev: number | null;
  /** Smallest value of a row. */
  readonly min: number | null;
  /** Largest value of a row. */
  readonly max: number | null;
  /** Median; as all percentiles by linear interpolation (type 7). */
  readonly p50: number | null;
  /** 90th percentile. */
  readonly p90: number | null;
  /** 99th percentile. */
  readonly p99: number | null;
}

/**
 * What became of the trials, added by `include_uncertainty`. Every trial of the evaluation on the rows of the summary
 * is exactly one of four: scored (`trial_count`), in error, null or missing.
 */
export interface Outcomes {
  /** All of them. */
  readonly expected_trial_count: number;
  /** Not in error, and nothing at the place: no such member, or a list or an object. */
  readonly missing_count: number;
  /** Not in error, and JSON null at the place or on the way to it. */
  readonly null_count: number;
  /** No score, and the trial's call (or its predict call) ended in an exception, or its call has no output. */
  readonly error_count: number;
}

/**
 * Added by `pass_k` to dimensions whose trials are all true or false, or 0 or 1. By k: the mean, over the rows with
 * at least k such trials, of the chance that at least one (`pass_at_k`) or all (`pass_hat_k`) of k trials pass; null
 * where no row has k.
 */
export interface PassK {
  /** By k: the chance that at least one of k trials passes. */
  readonly pass_at_k: ByK<number | null>;
  /** By k: the chance that all of k trials pass. */
  readonly pass_hat_k: ByK<number | null>;
  /** The rows that count: the denominator. */
  readonly pass_k_row_count: ByK<number>;
  /** Of `pass_at_k`, over rows, at 95 %. */
  readonly pass_at_k_confidence_interval: ByK<Interval | null>;
  /** Of `pass_hat_k`, over rows, at 95 %. */
  readonly pass_hat_k_confidence_interval: ByK<Interval | null>;
}

type ByK<Value> = { readonly [k: string]: Value };

const NO_SAMPLE: Uncertainty = {
  row_mean: null,
  scored_row_count: 0,
  standard_error: null,
  confidence_interval: null,
  interval_method: null,
  bootstrap_confidence_interval: null,
  bootstrap: null,
  stddev: null,
  min: null,
  max: null,
  p50: null,
  p90: null,
  p99: null,
};

/** `trialMean` is the mean over trials, which is that over rows where each has one. */
export function uncertaintyOf(
  sample: RowSample | null,
  resampled: RowBootstrap | null,
  trialMean: number | null,
): Uncertainty {
  if (sample === null) return NO_SAMPLE;
  const { moments, single, zeroOne, min, max } = sample;
  const mean = single && trialMean !== null ? trialMean : exactAverage(moments);
  const standardError = exactStandardError(moments);
  const [p50, p90, p99] = sample.percentiles;
  return {
    row_mean: mean,
    scored_row_count: moments.n,
    standard_error: standardError,
    ...chooseInterval({ n: moments.n, mean, standardError, zeroOne, single }),
    bootstrap_confidence_interval: resampled?.bootstrap_confidence_interval ?? null,
    bootstrap: resampled?.bootstrap ?? null,
    stddev: exactDeviation(moments),
    min,
    max,
    p50,
    p90,
    p99,
  };
}

export function passKOf(sample: RowSample, passK: readonly number[]): PassK | null {
  const { tallies } = sample;
  if (tallies === null || !sample.zeroOne) return null;
  const byK = <Value>(value: (k: number) => Value): ByK<Value> =>
    Object.fromEntries(passK.map((k) => [k, value(k)]));
  const at = new Map(passK.map((k) => [k, meanOverRows(tallies, k, passAtK)]));
  const hat = new Map(passK.map((k) => [k, meanOverRows(tallies, k, passHatK)]));
  return {
    pass_at_k: byK((k) => at.get(k)?.mean ?? null),
    pass_hat_k: byK((k) => hat.get(k)?.mean ?? null),
    pass_k_row_count: byK((k) => at.get(k)?.n ?? 0),
    pass_at_k_confidence_interval: byK((k) => at.get(k)?.interval ?? null),
    pass_hat_k_confidence_interval: byK((k) => hat.get(k)?.interval ?? null),
  };
}

interface EstimateOverRows {
  readonly n: number;
  readonly mean: number | null;
  readonly interval: Interval | null;
}

function meanOverRows(
  tallies: readonly RowTally[],
  k: number,
  estimator: (n: number, c: number, k: number) => number | null,
): EstimateOverRows {
  const estimates = tallies.flatMap(({ trials, total, rows }) => {
    const estimate = estimator(trials, total, k);
    return estimate === null ? [] : [{ estimate, trials, rows }];
  });
  const n = estimates.reduce((sum, { rows }) => sum + rows, 0);
  if (n === 0) return { n, mean: null, interval: null };
  const mean = estimates.reduce((sum, { estimate, rows }) => sum + rows * estimate, 0) / n;
  const squares = estimates.reduce((sum, { estimate, rows }) => sum + rows * (estimate - mean) ** 2, 0);
  const equal = estimates.every(({ estimate }) => estimate === estimates[0]?.estimate);
  const standardError = n < 2 ? null : equal ? 0 : Math.sqrt(squares / (n - 1) / n);
  const single = estimates.every(({ trials }) => trials === 1);
  const chosen = chooseInterval({ n, mean, standardError, zeroOne: true, single });
  return { n, mean, interval: chosen.confidence_interval };
}
