import { checkCount, checkObject } from "../numeric/arguments.ts";
import { studentInterval, type Interval } from "./mean.ts";
import { wilson } from "./rates.ts";

/** The method that computed a confidence interval. */
export type IntervalMethod = "wilson" | "student-t" | "clustered-t";

/** Summary of the values of `n` rows. */
export interface RowSummary {
  readonly n: number;
  readonly mean: number | null;
  /** The clustered standard error where `clusterDf` is given. */
  readonly standardError: number | null;
  /** Whether every trial is 0 or 1, so that a mean is a rate. */
  readonly zeroOne: boolean;
  /** Whether every row has one trial; with `zeroOne` a row's value is then 0 or 1 itself. */
  readonly single: boolean;
  /** The degrees of freedom of clustered rows, null for one cluster; without it rows are independent. */
  readonly clusterDf?: number | null;
}

export interface ChosenInterval {
  readonly confidence_interval: Interval | null;
  readonly interval_method: IntervalMethod | null;
}

/**
 * Chooses the interval of a mean over rows that suits the data: with clusters t of CR2; for 0/1 scores with
 * one trial per row Wilson's; for continuous scores and means of trials Student's t(n − 1). Student's t cannot use
 * 0/1 scores without spread, so they get Wilson's interval with each row counted once. Intervals of rates are clipped
 * to 0 and 1. Both members are null where no interval exists. Miller 2024, arXiv 2411.00640; Bowyer et al. 2025,
 * arXiv 2503.01747.
 */
export function chooseInterval(rows: RowSummary, confidence = 0.95): ChosenInterval {
  checkObject("the rows", rows);
  const { n, mean, standardError, zeroOne, single, clusterDf } = rows;
  checkCount("n", n);
  if (clusterDf === null) return named("clustered-t", null);
  if (clusterDf !== undefined) {
    return named("clustered-t", studentInterval(mean, standardError, clusterDf, confidence));
  }
  const spread = standardError !== null && standardError > 0;
  if (zeroOne && mean !== null && (single || !spread)) {
    const successes = Math.min(n, single ? Math.round(mean * n) : mean * n);
    return named("wilson", wilson(successes, n, confidence));
  }
  const interval = studentInterval(mean, standardError, n - 1, confidence);
  return named("student-t", zeroOne ? asRate(interval) : interval);
}

/** Clips an interval to the range of rates, 0 to 1. */
function asRate(interval: Interval | null): Interval | null {
  return interval === null ? null : [Math.max(0, interval[0]), Math.min(1, interval[1])];
}

function named(method: IntervalMethod, interval: Interval | null): ChosenInterval {
  return { confidence_interval: interval, interval_method: interval === null ? null : method };
}
