import { normalCdf, normalQuantile } from "../numeric/distributions.ts";
import { bisect } from "../numeric/special-functions.ts";

/** The p value of the pair at places `i` < `j` of an order; null where the two cannot be compared. */
export type PairP = (i: number, j: number) => number | null;

/**
 * Adjusts a p value for all pairs of `k` means: the chance that the range of k equal means is as wide; Tukey 1953. A t
 * or an exact test enters by its p value.
 */
export function rangeAdjusted(p: number, k: number): number {
  return p === 0 ? 0 : Math.max(p, normalRangeSurvival(Math.SQRT2 * -normalQuantile(p / 2), k));
}

/** The p value of a pair that {@link rangeAdjusted} adjusts to `alpha`. */
export function pairLevel(alpha: number, k: number): number {
  const z = bisect((one) => normalRangeSurvival(Math.SQRT2 * one, k) <= alpha, 0, 9);
  return Math.min(alpha, 2 * normalCdf(-z));
}

/**
 * Adjusts the p values of all pairs of `k` means that are ordered from best to worst, with the chance of at most α that
 * any two equal means are told apart at α: a pair is told apart where each stretch of the order that holds it is, by
 * its two ends; a stretch of s means at 1 − (1 − α)^(s/k), one of k − 1 at α. Ryan 1960, Einot and Gabriel 1975, Welsch
 * 1977 ("REGWQ"). `p` is 1 where the two stand the other way round in their own comparison. A pair of which `p` is null
 * is not told apart. Without `stepwise` each pair is adjusted by {@link rangeAdjusted}, which asks nothing of the
 * others.
 */
export function adjustPairs(k: number, p: PairP, stepwise = true): PairP {
  if (stepwise) return stepByStep(k, p);
  const known = new Map<number, number>();
  return (i, j) => {
    const own = p(i, j);
    if (own === null) return null;
    const found = known.get(own) ?? rangeAdjusted(own, k);
    known.set(own, found);
    return found;
  };
}

function stepByStep(k: number, p: PairP): PairP {
  const adjusted = new Float64Array(k * k);
  const at = (i: number, j: number) => (i < 0 || j >= k ? 0 : (adjusted[i * k + j] ?? 0));
  for (let size = k; size >= 2; size--) {
    for (let i = 0; i + size <= k; i++) {
      const j = i + size - 1;
      const outer = Math.max(at(i - 1, j), at(i, j + 1));
      adjusted[i * k + j] = outer === 1 ? 1 : Math.max(outer, stretchP(p(i, j) ?? 1, size, k));
    }
  }
  return (i, j) => (p(i, j) === null ? null : at(i, j));
}

function stretchP(p: number, size: number, k: number): number {
  const range = rangeAdjusted(p, size);
  return size >= k - 1 ? range : -Math.expm1((k / size) * Math.log1p(-range));
}

/** The integrand is analytic and falls off like a normal density, so that the trapezoidal rule is exact to rounding. */
const STEP = 0.2;
const REACH = 9;

/**
 * P(R ≥ q) of the range R of `k` ≥ 2 independent standard normal values, k ∫ φ(z) (Φ(z)^(k−1) − (Φ(z) − Φ(z −
 * q))^(k−1)) dz: the studentized range with infinitely many degrees of freedom; Tukey 1953.
 */
export function normalRangeSurvival(q: number, k: number): number {
  if (q === 0 || q > 4 * REACH) return q === 0 ? 1 : 0;
  const from = Math.max(-REACH, q / 2 - REACH);
  const count = Math.ceil((2 * REACH) / STEP);
  const above = normalCdfs(from, count);
  const beside = normalCdfs(from - q, count);
  const sum = above.reduce((total, below, i) => {
    const outside = below === 0 ? 0 : Math.min(1, (beside[i] ?? 0) / below);
    const density = Math.exp(-((from + i * STEP) ** 2) / 2);
    return total + density * below ** (k - 1) * -Math.expm1((k - 1) * Math.log1p(-outside));
  }, 0);
  return Math.min(1, (k * STEP * sum) / Math.sqrt(2 * Math.PI));
}

/** Places and weights of Gauss and Legendre's rule of five points on [0, 1]. */
const RULE = [
  [0.04691007703066802, 0.11846344252809454],
  [0.23076534494715845, 0.23931433524968324],
  [0.5, 0.28444444444444444],
  [0.7692346550528415, 0.23931433524968324],
  [0.953089922969332, 0.11846344252809454],
] as const;

/** Φ at `count` places from `from` on, each from the one before it: far faster than one by one, and as exact. */
function normalCdfs(from: number, count: number): Float64Array {
  const found = new Float64Array(count);
  let cdf = normalCdf(from);
  for (let i = 0; i < count; i++) {
    found[i] = Math.min(1, cdf);
    for (const [place, weight] of RULE)
      cdf += (weight * STEP * Math.exp(-((from + (i + place) * STEP) ** 2) / 2)) / Math.sqrt(2 * Math.PI);
  }
  return found;
}
