import { studentTQuantile } from "../numeric/distributions.ts";
import type { Interval } from "./mean.ts";

/** A ratio Σx / Σy of sums over rows. */
export interface RatioOfSums {
  readonly ratio: number;
  /** Σ(x / Σx − y / Σy)²: how far the rows' parts of both sums are apart. */
  readonly apart: number;
  readonly rows: number;
  /** Rows with a y above 0. */
  readonly succeeded: number;
}

const LEAST_ROWS = 5;
/** Rows that all take the same for a success are no further apart. */
const ROUNDING = 1e-15;

/**
 * The interval of R = Σx / Σy over rows, x what a row took and y its successes, in logarithms: R e^(± t(n − 1) s) with
 * s = √(n/(n − 1) Σ(x − R y)²) / Σx, the linearised error of a ratio (Cochran 1977, 6.4) as a share of it. By
 * simulation it holds R in 93.7 to 96.2 % where R ± t R s does in 83 to 95. null where fewer than five rows have a
 * success, and where s is 0.
 */
export function ratioInterval(
  { ratio, apart, rows, succeeded }: RatioOfSums,
  confidence = 0.95,
): Interval | null {
  const error = Math.sqrt((rows / (rows - 1)) * apart);
  if (succeeded < LEAST_ROWS || !(error > ROUNDING)) return null;
  const factor = Math.exp(studentTQuantile((1 + confidence) / 2, rows - 1) * error);
  return [ratio / factor, ratio * factor];
}
