import type { ClusterWords } from "../../plan/results.ts";
import { clusterDegreesOfFreedom } from "../../stats/estimates/clusters.ts";
import { finiteOrNull, ratio, scaleByPower } from "./exact-moments.ts";

/** The error of a mean over clusters of rows, with its degrees of freedom. */
export interface ClusteredError {
  /** CR2; null for one cluster, and where it exceeds the range of doubles. */
  readonly error: number | null;
  /** Bell and McCaffrey's; 0 for one cluster. */
  readonly df: number;
}

/**
 * √(Σ_c (s_c − m_c x̄)² / (1 − m_c/n)) / n of clusters of m rows that add up to s, from whole numbers, so that nothing
 * cancels. `unit` and `shift` are those of the moments of the rows.
 */
export function clusteredError(
  unordered: readonly ClusterWords[],
  { unit, shift }: { readonly unit: bigint; readonly shift: number },
): ClusteredError {
  // What is added up as doubles depends on the order.
  const clusters = unordered.toSorted((a, b) => a.size - b.size);
  const df = clusterDegreesOfFreedom(clusters) ?? 0;
  const rows = clusters.reduce((sum, { size, count }) => sum + size * count, 0);
  if (df === 0) return { error: null, df };
  const n = BigInt(rows);
  const total = clusters.reduce((sum, one) => sum + one.sum, 0n);
  const variance = clusters.reduce((sum, { size, count, sum: s, squares }) => {
    const m = BigInt(size);
    const around = n * n * squares - 2n * n * m * total * s + BigInt(count) * m * m * total * total;
    return sum + ratio(around, n ** 3n * (n - m) * unit * unit, 0);
  }, 0);
  return { error: finiteOrNull(scaleByPower(Math.sqrt(variance), -shift)), df };
}

/** The number of clusters and the rows of the largest one. */
export function clusterCounts(clusters: readonly ClusterWords[]) {
  return {
    count: clusters.reduce((sum, { count }) => sum + count, 0),
    largest: Math.max(0, ...clusters.map(({ size }) => size)),
  };
}
