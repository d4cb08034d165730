import { check, checkFinite, checkNumber, checkProbability, checkSameLength } from "../numeric/arguments.ts";
import { studentTQuantile } from "../numeric/distributions.ts";

/** `[low, high]`, both included, in the unit of the estimate. */
export type Interval = readonly [low: number, high: number];

/** The arithmetic mean; null without values. Exact where all values are equal. */
export function mean(x: readonly number[]): number | null {
  checkFinite("x", x);
  return x.length === 0 ? null : average(x);
}

/** The standard error of the mean of independent values, √(Σ(x − x̄)² / (n(n − 1))); null for n < 2. */
export function standardError(x: readonly number[]): number | null {
  checkFinite("x", x);
  return x.length < 2 ? null : Math.sqrt(sampleCovariance(x, x) / x.length);
}

/**
 * The Student interval of the mean of independent values, x̄ ± t(n − 1) · standard error; Miller 2024, arXiv
 * 2411.00640, with t instead of 1.96. null for n < 2 and where all values are equal, since equal values say nothing
 * about the spread; `wilson` gives an interval for 0/1 scores there.
 */
export function tInterval(x: readonly number[], confidence = 0.95): Interval | null {
  return studentInterval(mean(x), standardError(x), x.length - 1, confidence);
}

/**
 * estimate ± t(df) · standard error; null without a positive standard error and where a bound exceeds the range of
 * doubles.
 */
export function studentInterval(
  estimate: number | null,
  standardErrorOfEstimate: number | null,
  df: number,
  confidence = 0.95,
): Interval | null {
  checkProbability("confidence", confidence, true);
  if (estimate === null || standardErrorOfEstimate === null || standardErrorOfEstimate === 0) return null;
  checkNumber("the estimate", estimate);
  checkNumber("its standard error", standardErrorOfEstimate);
  const reach = studentTQuantile((1 + confidence) / 2, df) * standardErrorOfEstimate;
  const [low, high] = [estimate - reach, estimate + reach];
  return Number.isFinite(low) && Number.isFinite(high) ? [low, high] : null;
}

/**
 * The mean of at least one value, computed from offsets to the first value, so that equal values give exactly that
 * value.
 */
export function average(x: readonly number[]): number {
  const [origin] = x;
  check(origin !== undefined, "at least one value");
  return origin + x.reduce((sum, value) => sum + (value - origin), 0) / x.length;
}

/** Σ(x − x̄)(y − ȳ) / (n − 1) for n ≥ 2; the sample variance when x is passed twice. */
export function sampleCovariance(x: readonly number[], y: readonly number[]): number {
  checkSameLength("x and y", x, y);
  const centreX = average(x);
  const centreY = average(y);
  const products = x.map((value, i) => (value - centreX) * ((y[i] ?? centreY) - centreY));
  return products.reduce((sum, product) => sum + product, 0) / (x.length - 1);
}
