import { normalCdf, studentTQuantile } from "../numeric/distributions.ts";
import { pairedRatesPower } from "./paired-rates-power.ts";
import { leastRows } from "./power.ts";

/** What rows differ by: of two runs, in the unit of the score squared. */
export interface PlannedSpread {
  /** Variance of the true difference of a row. */
  readonly between: number;
  /** Variance of a trial about the true mean of its row, in either run. */
  readonly within: number;
  /** Of true and false: the mean, and the variance of the true means of rows; else null. */
  readonly rate: { readonly mean: number; readonly rows: number } | null;
  /** Rows of a cluster, and how many times they widen the variance of the mean; null where rows are independent. */
  readonly clusters: { readonly size: number; readonly effect: number } | null;
}

/** How many rows find a difference, and how often. */
interface PlannedRows {
  /** null where no number of rows does. */
  readonly rows: number | null;
  readonly found: number | null;
}

const LEAST_DF = 4;

/**
 * The least number of rows, each with `trials` trials in both runs, of which a comparison at the two-sided level
 * `alpha` finds a true difference of `delta` > 0 with probability `power`.
 *
 * Rates with one trial a row: the power of McNemar's mid-p test (Connor 1987), where the right answers of one run (the
 * wrong ones, where there are more) change with probability c = delta / r, r being their share. Else Student's t, with
 * the variance between + 2 within / trials of a row's difference; rates widen it as they move, as the rows' true means
 * and trials of the changed run do.
 */
export function plannedRows(
  spread: PlannedSpread,
  { delta, trials, alpha, power }: { delta: number; trials: number; alpha: number; power: number },
): PlannedRows {
  const powerOf = powerOfRows(spread, delta, trials, alpha);
  const rows = leastRows((n) => powerOf(n) >= power);
  return { rows, found: rows === null ? null : powerOf(rows) };
}

function powerOfRows(
  spread: PlannedSpread,
  delta: number,
  trials: number,
  alpha: number,
): (rows: number) => number {
  const { between, within, rate, clusters } = spread;
  const room = rate === null ? Infinity : roomOf(rate.mean);
  if (delta > room) return () => 0;
  const changed = delta / room;
  if (rate !== null && trials === 1 && clusters === null) {
    const apart = Math.min((between + 2 * within) / 2, room);
    return (n) => pairedRatesPower(n, apart * (1 - changed), apart + changed * (room - apart), alpha);
  }
  const ofRows = between + (rate === null ? 0 : changed ** 2 * rate.rows);
  const squares = rate === null ? 0 : room ** 2 + rate.rows;
  const after = rate === null ? within : Math.max(0, room - delta - (1 - changed) ** 2 * squares);
  const { size, effect } = clusters ?? { size: 1, effect: 1 };
  const variance = (ofRows + (within + after) / trials) * effect;
  return (n) => meanPower(n, variance, n / size - 1, clusters === null ? 0 : LEAST_DF, delta, alpha);
}

/** The share of right or of wrong answers, whichever is larger. */
export function roomOf(rate: number): number {
  return Math.max(rate, 1 - rate);
}

/**
 * P(Z + λ > t S) with λ = delta / SE and S the estimated SE over the true one, of mean 1 − v/2 and variance v = 1/(2
 * df): the power of Student's t test to find the true sign.
 */
function meanPower(
  n: number,
  variance: number,
  df: number,
  least: number,
  delta: number,
  alpha: number,
): number {
  // Degrees of freedom that are computed may be a little less than they are.
  if (df <= 0 || df < least * (1 - 1e-9)) return 0;
  const t = studentTQuantile(1 - alpha / 2, df);
  const v = 1 / (2 * df);
  return normalCdf((delta / Math.sqrt(variance / n) - t * (1 - v / 2)) / Math.sqrt(1 + t * t * v));
}
