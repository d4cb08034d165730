const TINY = 1e-300;
const MAX_TERMS = 100_000;

/** δ(z) = ln Γ(z) − (z − ½) ln z + z − ½ ln 2π for z > 0, the error of Stirling's formula. */
function stirlingError(z: number): number {
  let shift = 0;
  for (; z < 16; z += 1) shift += (z + 0.5) * Math.log1p(1 / z) - 1;
  const s = 1 / (z * z);
  return shift + (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s / 1188)))) / z;
}

/**
 * k ln(k/m) + m − k, the saddle-point deviance of Loader (2000), "Fast and accurate computation of binomial
 * probabilities".
 */
function deviance(k: number, m: number): number {
  const r = (m - k) / k;
  return k * (r - (Math.abs(r) < 0.5 ? Math.log1p(r) : Math.log(m / k)));
}

/** x^a y^b / B(a, b) with y = 1 − x, computed without ln Γ so that nothing large cancels when a or b is large. */
export function betaKernel(x: number, y: number, a: number, b: number): number {
  const n = a + b;
  const exponent =
    stirlingError(n) - stirlingError(a) - stirlingError(b) - deviance(a, n * x) - deviance(b, n * y);
  return Math.sqrt((a / n) * (b / (2 * Math.PI))) * Math.exp(exponent);
}

/** 1 / (b0 + a1 / (b1 + a2 / (b2 + …))) by the modified Lentz algorithm. */
function continuedFraction(first: number, term: (i: number) => readonly [a: number, b: number]): number {
  let value = first;
  let c = first;
  let d = 0;
  for (let i = 1; i < MAX_TERMS; i += 1) {
    const [a, b] = term(i);
    c = b + a / c || TINY;
    d = 1 / (b + a * d || TINY);
    value *= c * d;
    if (Math.abs(c * d - 1) <= Number.EPSILON) break;
  }
  return 1 / value;
}

/** Regularized incomplete beta I_x(a, b). `y` = 1 − x is a parameter so that x near 1 keeps its digits. */
export function incompleteBeta(x: number, a: number, b: number, y = 1 - x): number {
  if (x <= 0) return 0;
  if (y <= 0) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - betaTail(y, x, b, a);
  return betaTail(x, y, a, b);
}

/**
 * The continued fraction of Didonato and Morris (1992), "Algorithm 708: significant digit computation of the
 * incomplete beta function ratios", eq. 9.
 */
function betaTail(x: number, y: number, a: number, b: number): number {
  const excess = a > b ? (a + b) * y - b : a - (a + b) * x;
  const denominator = (n: number): number =>
    n + (n * (b - n) * x) / (a + 2 * n - 1) + ((a + n) * (excess + 1 + n * (1 + y))) / (a + 2 * n + 1);
  const numerator = (n: number): number =>
    (((a + n - 1) * (a + b + n - 1)) / (a + 2 * n - 1) ** 2) * n * (b - n) * x * x;
  const first = (a * (excess + 1)) / (a + 1);
  return betaKernel(x, y, a, b) * continuedFraction(first, (n) => [numerator(n), denominator(n)]);
}

/** Regularized incomplete gamma Q(a, x), the upper part; DLMF 8.11.4 and 8.9.2. */
export function incompleteGamma(a: number, x: number): number {
  if (x <= 0) return 1;
  if (x === Infinity) return 0;
  // x^a e^−x / Γ(a).
  const kernel = Math.sqrt(a / (2 * Math.PI)) * Math.exp(-stirlingError(a) - deviance(a, x));
  if (x >= a + 1) return kernel * continuedFraction(x + 1 - a, (i) => [i * (a - i), x + 1 - a + 2 * i]);
  let term = 1 / a;
  let sum = term;
  for (let i = 1; i < MAX_TERMS && term > sum * Number.EPSILON; i += 1) {
    term *= x / (a + i);
    sum += term;
  }
  return 1 - kernel * sum;
}

/**
 * The root of an increasing `f` with derivative `slope` inside [low, high]: Newton steps, with a bisection wherever
 * Newton leaves the bracket or fails to halve the step.
 */
export function findRoot(
  f: (x: number) => number,
  slope: (x: number) => number,
  low: number,
  high: number,
): number {
  let x = (low + high) / 2;
  let lastStep = high - low;
  while (low < x && x < high) {
    const value = f(x);
    if (value < 0) low = x;
    else high = x;
    const newton = x - value / slope(x);
    const step = Math.abs(newton - x);
    // Newton doubles the correct digits, so a step this small leaves an error below the rounding of f.
    if (step <= 1e-12 * Math.abs(x)) return newton;
    const usable = newton > low && newton < high && step <= lastStep / 2;
    const next = usable ? newton : (low + high) / 2;
    lastStep = Math.abs(next - x);
    x = next;
  }
  return x;
}

/**
 * Halves [inside, beyond] so many times; returns its end beyond, which differs from the first such point by no more
 * than rounding.
 */
export function bisect(isBeyond: (x: number) => boolean, inside: number, beyond: number, times = 54): number {
  let [near, far] = [inside, beyond];
  for (let i = 0; i < times; i += 1) {
    const middle = (near + far) / 2;
    if (isBeyond(middle)) far = middle;
    else near = middle;
  }
  return far;
}
