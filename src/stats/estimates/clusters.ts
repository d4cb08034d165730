import {
  checkCount,
  checkFinite,
  checkList,
  checkObject,
  checkSameLength,
  unknownChoice,
} from "../numeric/arguments.ts";
import { average, mean, studentInterval, type Interval } from "./mean.ts";

export type ClusterId = string | number;

/**
 * What multiplies the squared sum of a cluster of m of all n values: CR0 1, CR1 C / (C − 1), CR2 1 / (1 − m/n), which is without bias
 * for independent values.
 */
export type ClusterCorrection = "CR0" | "CR1" | "CR2";

/**
 * The standard error of the mean of `x` when values of one cluster (questions on one passage, trials of one row)
 * depend on each other; `clusterIds[i]` belongs to `x[i]`: √(Σ_c a_c (Σ_i (x_ic − x̄))²) / n with the a of `correction`, CR2 by
 * default (Bell and McCaffrey 2002). Miller 2024, arXiv 2411.00640. null for fewer than two clusters. CR1 and CR2 equal
 * `standardError` where every value is its own cluster.
 */
export function clusteredStandardError(
  x: readonly number[],
  clusterIds: readonly ClusterId[],
  options: { readonly correction?: ClusterCorrection } = {},
): number | null {
  checkObject("options", options);
  const { correction = "CR2" } = options;
  checkFinite("x", x);
  const clusters = groupByCluster(x, clusterIds);
  const factorOf = factors(correction, x.length, clusters.length);
  if (clusters.length < 2) return null;
  const centre = average(x);
  const squares = clusters.map(
    (values) => factorOf(values.length) * values.reduce((sum, value) => sum + (value - centre), 0) ** 2,
  );
  return Math.sqrt(squares.reduce((total, square) => total + square, 0)) / x.length;
}

function factors(correction: ClusterCorrection, n: number, count: number): (size: number) => number {
  switch (correction) {
    case "CR0":
      return () => 1;
    case "CR1":
      return () => count / (count - 1);
    case "CR2":
      return (size) => 1 / (1 - size / n);
  }
  throw unknownChoice("correction", correction);
}

/**
 * The degrees of freedom of the CR2 standard error of a mean (Satterthwaite) with `count` clusters of each `size`: with w = m/n and
 * a = 1/(1 − w), 1/(Σ w² + (Σ a w²)² − Σ a² w⁴) over the clusters. C clusters of one size have C − 1, uneven ones fewer. Bell and
 * McCaffrey 2002; Pustejovsky and Tipton 2018. null for fewer than two clusters.
 */
export function clusterDegreesOfFreedom(
  sizes: readonly { readonly size: number; readonly count: number }[],
): number | null {
  checkList("sizes", sizes);
  for (const one of sizes) {
    checkObject("a size", one);
    checkCount("size", one.size, 1);
    checkCount("count", one.count);
  }
  const sum = (term: (size: number) => number) =>
    sizes.reduce((all, { size, count }) => all + count * term(size), 0);
  const n = sum((size) => size);
  if (sum(() => 1) < 2) return null;
  const term = (size: number) => (size / n) ** 2 / (1 - size / n);
  return 1 / (sum((size) => (size / n) ** 2) + sum(term) ** 2 - sum((size) => term(size) ** 2));
}

/** x̄ ± t · CR2 with {@link clusterDegreesOfFreedom}. null where the standard error is null or 0. */
export function clusteredInterval(
  x: readonly number[],
  clusterIds: readonly ClusterId[],
  confidence = 0.95,
): Interval | null {
  const error = clusteredStandardError(x, clusterIds);
  return studentInterval(mean(x), error, degreesOfFreedom(clusterIds), confidence);
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
