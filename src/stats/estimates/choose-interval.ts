import { studentInterval, type Interval } from "./mean.ts";
import { wilson } from "./rates.ts";

/** The method that computed a confidence interval. */
export type IntervalMethod = "wilson" | "student-t" | "clustered-t";

/** Summary of the values of `n` rows. */
interface RowSummary {
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
 * Chooses the interval of a mean over rows that suits the data: with clusters t of CR2; for 0/1 scores Wilson's, of the
 * rows where each has one trial, else of the effective number p̂(1 − p̂)/SE², or of the rows where they have no spread;
 * for other scores Student's t(n − 1). Both members are null where no interval exists. Miller 2024, arXiv 2411.00640;
 * Bowyer et al. 2025, arXiv 2503.01747.
 */
export function chooseInterval(rows: RowSummary, confidence = 0.95): ChosenInterval {
  const { n, mean, standardError, zeroOne, single, clusterDf } = rows;
  if (clusterDf === null) return named("clustered-t", null);
  if (clusterDf !== undefined || !zeroOne || mean === null) {
    const method = clusterDf === undefined ? "student-t" : "clustered-t";
    return named(method, studentInterval(mean, standardError, clusterDf ?? n - 1, confidence));
  }
  const spread = !single && standardError !== null && standardError > 0;
  const trials = spread ? (mean * (1 - mean)) / standardError ** 2 : n;
  const successes = Math.min(trials, single ? Math.round(mean * n) : mean * trials);
  return named("wilson", wilson(successes, trials, confidence));
}

function named(method: IntervalMethod, interval: Interval | null): ChosenInterval {
  return { confidence_interval: interval, interval_method: interval === null ? null : method };
}
