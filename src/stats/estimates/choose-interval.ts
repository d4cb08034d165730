import { checkCount, checkObject } from "../numeric/arguments.ts";
import { studentInterval, type Interval } from "./mean.ts";
import { wilson } from "./rates.ts";

/** How a confidence interval was found. */
export type IntervalMethod = "wilson" | "student-t" | "clustered-t";

/** What is known of the values of `n` rows. */
export interface RowSummary {
  readonly n: number;
  readonly mean: number | null;
  /** With `clusters`, the clustered one. */
  readonly standardError: number | null;
  /** Every trial is 0 or 1, so that a mean is a rate. */
  readonly zeroOne: boolean;
  /** Every row has one trial: its value is 0 or 1 itself where `zeroOne`. */
  readonly single: boolean;
  /** The number of clusters that the rows fall into; without it rows are independent. */
  readonly clusters?: number;
}

export interface ChosenInterval {
  readonly confidence_interval: Interval | null;
  readonly interval_method: IntervalMethod | null;
}

/**
 * The interval of a mean over rows that suits its data: with clusters CR1 and t(C − 1); for 0/1 scores of one trial
 * a row Wilson's; for continuous scores and means of trials Student's t(n − 1). 0/1 scores without spread say
 * nothing to t: there Wilson's counts each row once. Intervals of rates end at 0 and 1. Both null where no interval exists. Miller 2024, arXiv
 * 2411.00640; Bowyer et al. 2025, arXiv 2503.01747.
 */
export function chooseInterval(rows: RowSummary, confidence = 0.95): ChosenInterval {
  checkObject("the rows", rows);
  const { n, mean, standardError, zeroOne, single, clusters } = rows;
  checkCount("n", n);
  if (clusters !== undefined) {
    return named("clustered-t", studentInterval(mean, standardError, clusters - 1, confidence));
  }
  const spread = standardError !== null && standardError > 0;
  if (zeroOne && mean !== null && (single || !spread)) {
    const successes = Math.min(n, single ? Math.round(mean * n) : mean * n);
    return named("wilson", wilson(successes, n, confidence));
  }
  const interval = studentInterval(mean, standardError, n - 1, confidence);
  return named("student-t", zeroOne ? asRate(interval) : interval);
}

/** No rate is below 0 or above 1. */
function asRate(interval: Interval | null): Interval | null {
  return interval === null ? null : [Math.max(0, interval[0]), Math.min(1, interval[1])];
}

function named(method: IntervalMethod, interval: Interval | null): ChosenInterval {
  return { confidence_interval: interval, interval_method: interval === null ? null : method };
}
