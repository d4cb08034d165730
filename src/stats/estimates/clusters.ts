import { checkFinite, checkSameLength } from "../numeric/arguments.ts";
import { average } from "./mean.ts";

export type ClusterId = string | number;

/**
 * The standard error of the mean of `x` when values of one cluster (questions on one passage, trials of one row) depend
 * on each other; `clusterIds[i]` belongs to `x[i]`. CR2, √(Σ_c (Σ_i (x_ic − x̄))² / (1 − m_c/n)) / n with m of all n
 * values in a cluster, which is without bias for independent values: Bell and McCaffrey 2002; Miller 2024, arXiv
 * 2411.00640. null for fewer than two clusters. Equals `standardError` where every value is its own cluster.
 */
export function clusteredStandardError(
  x: readonly number[],
  clusterIds: readonly ClusterId[],
): number | null {
  checkFinite("x", x);
  const clusters = groupByCluster(x, clusterIds);
  if (clusters.length < 2) return null;
  const centre = average(x);
  const variance = clusters.reduce((total, values) => {
    const apart = values.reduce((sum, value) => sum + (value - centre), 0);
    return total + apart ** 2 / (1 - values.length / x.length);
  }, 0);
  return Math.sqrt(variance) / x.length;
}

/**
 * The degrees of freedom of the CR2 standard error of a mean (Satterthwaite) with `count` clusters of each `size`: with
 * w = m/n and a = 1/(1 − w), 1/(Σ w² + (Σ a w²)² − Σ a² w⁴) over the clusters. C clusters of one size have C − 1,
 * uneven ones fewer. Bell and McCaffrey 2002; Pustejovsky and Tipton 2018. null for fewer than two clusters.
 */
export function clusterDegreesOfFreedom(
  sizes: readonly { readonly size: number; readonly count: number }[],
): number | null {
  const sum = (term: (size: number) => number) =>
    sizes.reduce((all, { size, count }) => all + count * term(size), 0);
  const n = sum((size) => size);
  if (sum(() => 1) < 2) return null;
  const term = (size: number) => (size / n) ** 2 / (1 - size / n);
  return 1 / (sum((size) => (size / n) ** 2) + sum(term) ** 2 - sum((size) => term(size) ** 2));
}

/** The degrees of freedom of the clusters that are named; 0 for fewer than two, whose error is null. */
export function degreesOfFreedom(clusterIds: readonly ClusterId[]): number {
  const clusters = groupByCluster(clusterIds, clusterIds);
  return clusterDegreesOfFreedom(clusters.map(({ length }) => ({ size: length, count: 1 }))) ?? 0;
}

/** Groups values by cluster, with clusters in order of first appearance. */
function groupByCluster<Value>(
  values: readonly Value[],
  clusterIds: readonly ClusterId[],
): readonly (readonly Value[])[] {
  checkSameLength("values and cluster ids", values, clusterIds);
  const clusters = new Map<ClusterId | undefined, Value[]>();
  values.forEach((value, i) => {
    const cluster = clusters.get(clusterIds[i]);
    if (cluster === undefined) clusters.set(clusterIds[i], [value]);
    else cluster.push(value);
  });
  return [...clusters.values()];
}
