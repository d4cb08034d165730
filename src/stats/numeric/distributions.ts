import { checkAmount, checkCount, checkNumber, checkProbability } from "./arguments.ts";
import { betaKernel, findRoot, incompleteBeta, incompleteGamma } from "./special-functions.ts";

/** P(Z ≤ z) of the standard normal. */
export function normalCdf(z: number): number {
  checkNumber("z", z);
  const tail = incompleteGamma(0.5, (z * z) / 2) / 2;
  return z < 0 ? tail : 1 - tail;
}

/** The z with P(Z ≤ z) = p; −Infinity at 0, Infinity at 1. */
export function normalQuantile(p: number): number {
  return symmetricQuantile(p, normalCdf, (z) => Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI));
}

/** P(T ≤ t) of Student's t with `df` > 0 degrees of freedom, which may be fractional. */
export function studentTCdf(t: number, df: number): number {
  checkNumber("t", t);
  checkAmount("df", df, true);
  if (Math.abs(t) === Infinity) return t < 0 ? 0 : 1;
  const square = t * t;
  const tail = incompleteBeta(df / (df + square), df / 2, 0.5, square / (df + square)) / 2;
  return t < 0 ? tail : 1 - tail;
}

/** The t with P(T ≤ t) = p; −Infinity at 0, Infinity at 1. */
export function studentTQuantile(p: number, df: number): number {
  checkAmount("df", df, true);
  const density = (t: number): number => {
    const square = t * t;
    return betaKernel(df / (df + square), square / (df + square), df / 2, 0.5) / Math.abs(t);
  };
  return symmetricQuantile(p, (t) => studentTCdf(t, df), density);
}

/** P(X ≤ k) of a Binomial(n, p). */
export function binomialCdf(k: number, n: number, p: number): number {
  checkNumber("k", k);
  checkCount("n", n);
  checkProbability("p", p);
  const whole = Math.floor(k);
  if (whole < 0) return 0;
  if (whole >= n) return 1;
  return incompleteBeta(1 - p, n - whole, whole + 1, p);
}

/** The x in [0, 1] with P(X ≤ x) = p of a Beta(a, b). */
export function betaQuantile(p: number, a: number, b: number): number {
  checkProbability("p", p);
  checkAmount("a", a, true);
  checkAmount("b", b, true);
  if (p === 0 || p === 1) return p;
  const density = (x: number): number => betaKernel(x, 1 - x, a, b) / (x * (1 - x));
  return findRoot((x) => incompleteBeta(x, a, b) - p, density, 0, 1);
}

/**
 * P(X > x) of a chi-square with `df` > 0 degrees of freedom, the p value of a statistic; precise also where it is next
 * to 0.
 */
export function chiSquareSurvival(x: number, df: number): number {
  checkNumber("x", x);
  checkAmount("df", df, true);
  return incompleteGamma(df / 2, x / 2);
}

/** Solves in the lower tail, where a cdf keeps its relative precision. */
function symmetricQuantile(p: number, cdf: (x: number) => number, density: (x: number) => number): number {
  checkProbability("p", p);
  if (p > 0.5) return -symmetricQuantile(1 - p, cdf, density);
  if (p === 0) return -Infinity;
  if (p === 0.5) return 0;
  let low = -1;
  while (cdf(low) > p && low > -Number.MAX_VALUE / 2) low *= 2;
  return findRoot((x) => cdf(x) - p, density, low, 0);
}
