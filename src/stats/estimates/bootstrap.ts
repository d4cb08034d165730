import {
  check,
  checkCount,
  checkFinite,
  checkObject,
  checkProbability,
  unknownChoice,
} from "../numeric/arguments.ts";
import { groupByCluster, type ClusterId } from "./clusters.ts";
import { normalCdf, normalQuantile } from "../numeric/distributions.ts";
import { average, sampleCovariance, type Interval } from "./mean.ts";
import { sortedQuantile } from "./percentile.ts";
import { seededRandom, type Random } from "../numeric/random.ts";

/** How an interval is computed from the estimates of the resamples. */
export type BootstrapMethod = "percentile" | "basic" | "bca";

export interface BootstrapOptions {
  readonly method: BootstrapMethod;
  /** Default 2000. */
  readonly resamples?: number;
  readonly seed: number;
  /** Resamples whole clusters; `clusterIds[i]` belongs to `x[i]`. Without it each value is resampled on its own. */
  readonly clusterIds?: readonly ClusterId[];
  /** Also resamples the values within each drawn cluster, such as rows first and then the trials of a row. */
  readonly hierarchical?: boolean;
  readonly confidence?: number;
}

export interface BootstrapResult {
  readonly estimate: number | null;
  /** Standard deviation of the resampled statistics. */
  readonly standard_error: number | null;
  readonly confidence_interval: Interval | null;
  readonly method: BootstrapMethod;
  readonly resamples: number;
  readonly seed: number;
}

type Groups = readonly (readonly number[])[];
type Statistic = (sample: readonly number[]) => number;

/**
 * Bootstraps `statistic` over `x` (for paired runs, over the differences); Efron and Tibshirani 1993. "bca" corrects
 * bias and skew (Efron 1987). The same seed gives the same result. Fewer than two values (clusters) give no error and
 * no interval; resamples that all agree, such as those of a rate of 0 % or 100 %, give no interval. "bca" also leaves
 * out each value (cluster) once, so its cost grows with the square of their number.
 */
export function bootstrap(
  x: readonly number[],
  statistic: Statistic,
  options: BootstrapOptions,
): BootstrapResult {
  checkObject("options", options);
  check(typeof statistic === "function", "statistic to be a function");
  const { method, resamples = 2000, seed, clusterIds, hierarchical = false, confidence = 0.95 } = options;
  checkFinite("x", x);
  checkCount("resamples", resamples, 2);
  checkProbability("confidence", confidence, true);
  const groups = clusterIds === undefined ? x.map((value) => [value]) : groupByCluster(x, clusterIds);
  const estimate = x.length === 0 ? null : finite(statistic(x));
  const random = seededRandom(seed);
  const shared = { estimate, method, resamples, seed };
  if (estimate === null || groups.length < 2) {
    return { ...shared, standard_error: null, confidence_interval: null };
  }
  const draw = (): readonly number[] =>
    clusterIds === undefined
      ? withReplacement(x, random)
      : withReplacement(groups, random).flatMap((group) =>
          hierarchical ? withReplacement(group, random) : group,
        );
  const replicates = Array.from({ length: resamples }, () => finite(statistic(draw())));
  replicates.sort((a, b) => a - b);
  return {
    ...shared,
    standard_error: Math.sqrt(sampleCovariance(replicates, replicates)),
    confidence_interval: bootstrapInterval(replicates, estimate, method, confidence, () =>
      acceleration(groups, statistic),
    ),
  };
}

function withReplacement<Value>(values: readonly Value[], random: Random): Value[] {
  return values.map((value) => values[Math.floor(random() * values.length)] ?? value);
}

function bootstrapInterval(
  replicates: readonly number[],
  estimate: number,
  method: BootstrapMethod,
  confidence: number,
  accelerationOf: () => number,
): Interval | null {
  const tails = [(1 - confidence) / 2, (1 + confidence) / 2] as const;
  const at = (share: number): number => sortedQuantile(replicates, share);
  if (at(0) === at(1)) return null;
  switch (method) {
    case "percentile":
      return [at(tails[0]), at(tails[1])];
    case "basic":
      return [2 * estimate - at(tails[1]), 2 * estimate - at(tails[0])];
    case "bca": {
      const shares = correctedShares(shareBelow(replicates, estimate), accelerationOf(), tails);
      return shares === null ? null : [at(shares[0]), at(shares[1])];
    }
  }
  throw unknownChoice("method", method);
}

/** Φ(z0 + (z0 + z)/(1 − a(z0 + z))) of both tails, with z0 from the share of replicates below the estimate. */
function correctedShares(share: number, a: number, tails: readonly [number, number]): Interval | null {
  if (share === 0 || share === 1) return null;
  const bias = normalQuantile(share);
  const corrected = (tail: number): number => {
    const z = bias + normalQuantile(tail);
    return normalCdf(bias + z / (1 - a * z));
  };
  return [corrected(tails[0]), corrected(tails[1])];
}

/** The share of replicates below the estimate; replicates equal to it count half. */
function shareBelow(replicates: readonly number[], estimate: number): number {
  const score = replicates.reduce((sum, value) => sum + Math.sign(estimate - value), 0);
  return (1 + score / replicates.length) / 2;
}

/** Σu³ / (6 (Σu²)^1.5) over the deviations u of the jackknife, which leaves out one group at a time. */
function acceleration(groups: Groups, statistic: Statistic): number {
  const estimates = groups.map((_, left) =>
    finite(statistic(groups.flatMap((group, i) => (i === left ? [] : group)))),
  );
  const centre = average(estimates);
  const squares = estimates.reduce((sum, value) => sum + (centre - value) ** 2, 0);
  const cubes = estimates.reduce((sum, value) => sum + (centre - value) ** 3, 0);
  return squares === 0 ? 0 : cubes / (6 * squares ** 1.5);
}

function finite(value: number): number {
  check(Number.isFinite(value), `the statistic of every resample to be a finite number, not ${value}`);
  return value;
}
