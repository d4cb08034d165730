import { exactStandardError, finiteOrNull, ratio, scaleByPower } from "../summary/exact-moments.ts";
import type { ExactMoments } from "../../plan/results.ts";

/** Sums over the rows that two evaluations share, in whole multiples of 2^-shift. */
export interface PairSums {
  /** Of candidate - baseline. */
  readonly differences: ExactMoments;
  readonly baseline: bigint;
  readonly candidate: bigint;
  /** Rows with a positive, and with a negative difference. */
  readonly higher: number;
  readonly lower: number;
  /** Whether all differences are the same, and whether they are all 0, but for the rounding of doubles. */
  readonly equal: boolean;
  readonly unmoved: boolean;
  /** Whether every row has one trial on both sides. */
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
 * The standard error of the mean difference and its degrees of freedom: over rows, or over clusters (CR1). 0 where all
 * differences are equal; null for fewer than two rows or clusters, and beyond the doubles.
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
