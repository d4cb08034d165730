import { checkFinite, checkList, checkObject, checkSameLength, unknownChoice } from "../numeric/arguments.ts";
import { average, mean, studentInterval, type Interval } from "./mean.ts";

export type ClusterId = string | number;

/** The scale of the clusters' squared sums: CR0 leaves them as they are, CR1 multiplies them by C / (C − 1). */
export type ClusterCorrection = "CR0" | "CR1";

/**
 * The standard error of the mean of `x` when values of one cluster (questions on one passage, trials of one row)
 * depend on each other; `clusterIds[i]` belongs to `x[i]`. CR0 = √(Σ_c (Σ_i (x_ic − x̄))²) / n; CR1 = CR0 · √(C / (C
 * − 1)) is the default. Miller 2024, arXiv 2411.00640. null for fewer than two clusters. CR1 equals `standardError`
 * where every value is its own cluster.
 */
export function clusteredStandardError(
  x: readonly number[],
  clusterIds: readonly ClusterId[],
  options: { readonly correction?: ClusterCorrection } = {},
): number | null {
  checkObject("options", options);
  const { correction = "CR1" } = options;
  checkFinite("x", x);
  const clusters = groupByCluster(x, clusterIds);
  const count = clusters.length;
  if (count < 2) return null;
  const centre = average(x);
  const sums = clusters.map((values) => values.reduce((sum, value) => sum + (value - centre), 0));
  const cr0 = Math.sqrt(sums.reduce((total, sum) => total + sum * sum, 0)) / x.length;
  switch (correction) {
    case "CR0":
      return cr0;
    case "CR1":
      return cr0 * Math.sqrt(count / (count - 1));
  }
  throw unknownChoice("correction", correction);
}

/**
 * x̄ ± t(C − 1) · CR1. null where the standard error is null or 0. The interval is too narrow for fewer than about 30
 * clusters of unequal size, or where one cluster holds more than a third of the values.
 */
export function clusteredInterval(
  x: readonly number[],
  clusterIds: readonly ClusterId[],
  confidence = 0.95,
): Interval | null {
  checkList("clusterIds", clusterIds);
  const clusterCount = new Set(clusterIds).size;
  return studentInterval(mean(x), clusteredStandardError(x, clusterIds), clusterCount - 1, confidence);
}

/** Groups values by cluster, with clusters in order of first appearance. */
export function groupByCluster<Value>(
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
