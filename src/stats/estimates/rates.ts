import { check, checkAmount, checkNumber, checkProbability } from "../numeric/arguments.ts";
import { betaQuantile, normalQuantile } from "../numeric/distributions.ts";
import type { Interval } from "./mean.ts";

/**
 * Wilson's score interval of a rate (1927): centre (p̂ + z²/2n) / (1 + z²/n), half width z √(p̂(1 − p̂)/n + z²/4n²) /
 * (1 + z²/n). null for n = 0. Here and in the other three intervals of a single rate, `successes` and `n` may be
 * fractional: an effective n is p̂(1 − p̂)/SE².
 */
export function wilson(successes: number, n: number, confidence = 0.95): Interval | null {
  checkRate(successes, n, confidence);
  return n === 0 ? null : wilsonAt(successes, n, normalQuantile((1 + confidence) / 2));
}

/** The same with another quantile than the normal one. */
export function wilsonAt(successes: number, n: number, quantile: number): Interval {
  const z2 = quantile ** 2;
  const p = successes / n;
  const centre = p + z2 / (2 * n);
  const half = Math.sqrt(z2 * ((p * (1 - p)) / n + z2 / (4 * n * n)));
  const scale = 1 + z2 / n;
  return [successes === 0 ? 0 : (centre - half) / scale, successes === n ? 1 : (centre + half) / scale];
}

/** Clopper and Pearson's exact interval of a rate (1934), with at least the nominal coverage. null for n = 0. */
export function clopperPearson(successes: number, n: number, confidence = 0.95): Interval | null {
  return betaInterval(successes, n, confidence, [0, 1], [1, 0]);
}

/**
 * The equal-tailed interval of the posterior with Jeffreys' prior Beta(½, ½), without a special rule at the
 * boundaries. null for n = 0.
 */
export function jeffreys(successes: number, n: number, confidence = 0.95): Interval | null {
  return betaInterval(successes, n, confidence, [0.5, 0.5]);
}

/**
 * The equal-tailed interval of the posterior with the uniform prior Beta(1, 1); Bowyer et al. 2025, arXiv
 * 2503.01747. null for n = 0.
 */
export function betaPosterior(successes: number, n: number, confidence = 0.95): Interval | null {
  return betaInterval(successes, n, confidence, [1, 1]);
}

/**
 * The interval of the difference x1/n1 − x2/n2 of two independent rates, computed from their Wilson intervals:
 * Newcombe 1998, method 10. null where a rate has n = 0.
 */
export function newcombe(x1: number, n1: number, x2: number, n2: number, confidence = 0.95): Interval | null {
  const first = wilson(x1, n1, confidence);
  const second = wilson(x2, n2, confidence);
  if (first === null || second === null) return null;
  const p1 = x1 / n1;
  const p2 = x2 / n2;
  return [
    p1 - p2 - Math.hypot(p1 - first[0], second[1] - p2),
    p1 - p2 + Math.hypot(first[1] - p1, p2 - second[0]),
  ];
}

/**
 * Quantiles of Beta(a + successes, b + failures), with an (a, b) for either end; a distribution at 0 or at 1 has its
 * end there.
 */
function betaInterval(
  successes: number,
  n: number,
  confidence: number,
  low: readonly [a: number, b: number],
  high = low,
): Interval | null {
  checkRate(successes, n, confidence);
  if (n === 0) return null;
  const tail = (1 - confidence) / 2;
  const quantile = (p: number, [a, b]: readonly [number, number]) =>
    a + successes === 0 ? 0 : b + n === successes ? 1 : betaQuantile(p, a + successes, b + n - successes);
  return [quantile(tail, low), quantile(1 - tail, high)];
}

function checkRate(successes: number, n: number, confidence: number): void {
  checkAmount("n", n);
  checkNumber("successes", successes);
  check(successes >= 0 && successes <= n, `successes from 0 to n = ${n}, not ${successes}`);
  checkProbability("confidence", confidence, true);
}
