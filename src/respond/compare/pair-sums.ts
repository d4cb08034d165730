import { exactStandardError, finiteOrNull, ratio, scaleByPower } from "../summary/exact-moments.ts";
import type { ExactMoments } from "../../plan/results.ts";

/** Sums over the rows that two evaluations share, as whole multiples of 2^-shift. */
export interface PairSums {
  /** Moments of candidate - baseline. */
  readonly differences: ExactMoments;
  readonly baseline: bigint;
  readonly candidate: bigint;
  /** Rows with a positive difference. */
  readonly higher: number;
  /** Rows with a negative difference. */
  readonly lower: number;
  /** Whether all differences are equal, up to the rounding of doubles. */
  readonly equal: boolean;
  /** Whether all differences are 0, up to the rounding of doubles. */
  readonly unmoved: boolean;
  /** Whether every row has one trial in both evaluations. */
  readonly single: boolean;
  readonly clusters: ClusterSums | null;
}

/** Sums over clusters of m rows whose differences add up to s. */
export interface ClusterSums {
  readonly count: number;
  readonly largest: number;
  /** Σm², Σm·s and Σs². */
  readonly mm: bigint;
  readonly ms: bigint;
  readonly ss: bigint;
}

/**
 * The standard error of the mean difference and its degrees of freedom, over rows or over clusters (CR1). The error
 * is 0 where all differences are equal; null for fewer than two rows or clusters and where it exceeds the range of
 * doubles.
 */
export function differenceError(sums: PairSums): { readonly error: number | null; readonly df: number } {
  const { differences, clusters } = sums;
  const df = (clusters === null ? differences.n : clusters.count) - 1;
  if (df < 1) return { error: null, df };
  if (sums.equal) return { error: 0, df };
  return {
    error: finiteOrNull(
      clusters === null ? exactStandardError(differences) : clusteredError(differences, clusters),
    ),
    df,
  };
}

/** √(C/(C - 1) · Σ_c (s_c - m_c d̄)²) / n in whole numbers: n² Σ(s - m d̄)² = n² Σs² - 2 n S Σms + S² Σm². */
function clusteredError(differences: ExactMoments, { count, mm, ms, ss }: ClusterSums): number {
  const n = BigInt(differences.n);
  const { sum, shift } = differences;
  const clusters = BigInt(count);
  const squares = n * n * ss - 2n * n * sum * ms + sum * sum * mm;
  return scaleByPower(Math.sqrt(ratio(clusters * squares, (clusters - 1n) * n ** 4n, 0)), -shift);
}
