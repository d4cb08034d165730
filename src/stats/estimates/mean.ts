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

/** Where a test finds a difference that the interval does not, its end next to 0 is this share of the difference. */
const JUST_BESIDE_0 = 1e-6;

/** The interval of a difference, whose end next to 0 moves to the side of 0 that a test takes where they disagree. */
export function agreeOnZero([low, high]: Interval, difference: number, isShown: boolean): Interval {
  const near = (end: number) =>
    isShown ? Math.max(end, Math.abs(difference) * JUST_BESIDE_0) : Math.min(end, 0);
  return difference >= 0 ? [near(low), high] : [low, 0 - near(0 - high)];
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

/**
 * The standard error of the mean over at least one group, and the degrees of freedom of its t interval. "size" is for
 * the mean weighted by size: √(Σ(nᵢ − 1) nᵢ seᵢ² / (N − k) / N), as lm-eval computes it, with N − k. "equal" is for the
 * unweighted mean of k groups: √(Σ seᵢ²) / k, with Welch–Satterthwaite's (Σ seᵢ²)² / Σ(seᵢ⁴ / (nᵢ − 1)). The error is
 * null where a group has one value, which tells nothing of its spread; the degrees of freedom are 0 where there is no
 * error above 0.
 */
export function pooledError(
  groups: readonly { readonly n: number; readonly standard_error: number | null }[],
  weights: "size" | "equal",
): { readonly standard_error: number | null; readonly df: number } {
  const known = groups.flatMap(({ n, standard_error: se }) => (se === null || n < 2 ? [] : [{ n, se }]));
  if (known.length < groups.length || known.length === 0) return { standard_error: null, df: 0 };
  const total = known.reduce((sum, { n }) => sum + n, 0);
  const df = total - known.length;
  const scaled = known.map(({ n, se }) =>
    weights === "size" ? se * Math.sqrt(((n - 1) * n) / df / total) : se / known.length,
  );
  const error = Math.hypot(...scaled);
  if (error === 0) return { standard_error: 0, df: 0 };
  if (weights === "size") return { standard_error: error, df };
  // Shares of the sum, so that no power leaves the range of doubles.
  const shares = known.map(({ n }, i) => ((scaled[i] ?? 0) / error) ** 4 / (n - 1));
  return { standard_error: error, df: 1 / shares.reduce((sum, one) => sum + one, 0) };
}
