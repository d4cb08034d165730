import { check, checkNumber, checkObject, checkProbability } from "../numeric/arguments.ts";
import { normalQuantile } from "../numeric/distributions.ts";

interface Levels {
  /** Two-sided significance level, default 0.05. */
  readonly alpha?: number;
  /** Default 0.8. */
  readonly power?: number;
}

/**
 * The smallest whole number of rows with which a paired comparison detects a true difference of `delta`: the ceiling
 * of (z_{1−α/2} + z_power)² · variance / delta², at least 1. `variance` is the variance of one row's difference, ω² +
 * σ_A²/K_A + σ_B²/K_B with K trials per row. Miller 2024, arXiv 2411.00640, section 5.
 */
export function sampleSize(options: { readonly delta: number; readonly variance: number } & Levels): number {
  checkObject("options", options);
  const { delta, variance } = options;
  checkNumber("delta", delta);
  check(Number.isFinite(delta) && delta !== 0, `delta to be finite and not 0, not ${delta}`);
  checkVariance(variance);
  return Math.max(1, Math.ceil((quantileSum(options) ** 2 * variance) / delta ** 2));
}

/**
 * The smallest |difference| that a paired comparison of `n` rows detects: (z_{1−α/2} + z_power) · √(variance / n),
 * the inverse of `sampleSize`. null for n = 0.
 */
export function minimumDetectableEffect(
  options: { readonly n: number; readonly variance: number } & Levels,
): number | null {
  checkObject("options", options);
  const { n, variance } = options;
  checkNumber("n", n);
  check(n >= 0 && n < Infinity, `n to be finite and at least 0, not ${n}`);
  checkVariance(variance);
  return n === 0 ? null : quantileSum(options) * Math.sqrt(variance / n);
}

function quantileSum({ alpha = 0.05, power = 0.8 }: Levels): number {
  checkProbability("alpha", alpha, true);
  checkProbability("power", power, true);
  return normalQuantile(1 - alpha / 2) + normalQuantile(power);
}

function checkVariance(variance: number): void {
  checkNumber("variance", variance);
  check(variance >= 0 && variance < Infinity, `variance to be finite and at least 0, not ${variance}`);
}
