import { normalCdf, normalQuantile } from "../numeric/distributions.ts";
import { bisect } from "../numeric/special-functions.ts";
import { normalRangeSurvival } from "../numeric/normal-range.ts";

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
 * any two equal means are told apart at α: a pair is told apart where each stretch of the order that holds it is, by its
 * two ends; a stretch of s means at 1 − (1 − α)^(s/k), one of k − 1 at α. Ryan 1960, Einot and Gabriel 1975, Welsch 1977
 * ("REGWQ"). `p` is 1 where the two stand the other way round in their own comparison. A pair of which `p` is
 * null is not told apart. Without `stepwise` each pair is adjusted by {@link rangeAdjusted}, which asks nothing of the others.
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
