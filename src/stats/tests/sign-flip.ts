import { checkCount, checkFinite, checkObject } from "../numeric/arguments.ts";
import { mean } from "../estimates/mean.ts";
import { seededRandom } from "../numeric/random.ts";
import { sum } from "../numeric/sum.ts";
import type { TestResult } from "./paired-rates.ts";

/** `statistic` is the mean difference; it is absent without differences. */
export interface SignFlipResult extends TestResult {
  readonly method: "exact" | "monte-carlo";
  /** Present only with "monte-carlo", as is `resamples`. */
  readonly seed?: number | undefined;
  readonly resamples?: number | undefined;
}

const EXACT_AT_MOST = 20;
/** Sums that differ by less than this share of Σ|d| count as equal, since they differ only by rounding. */
const ROUNDING = 1e-12;

/**
 * Permutation test of paired differences: the share of sign assignments for which |Σ ±d| reaches |Σ d|. Exact for at
 * most 20 non-zero differences; for more, `resamples` (2000) seeded draws give p = (1 + hits) / (1 + resamples).
 */
export function signFlip(
  d: readonly number[],
  options: { readonly seed?: number | undefined; readonly resamples?: number | undefined } = {},
): SignFlipResult {
  checkObject("options", options);
  const { seed = 0, resamples = 2000 } = options;
  checkFinite("d", d);
  checkCount("resamples", resamples, 1);
  const sizes = d.filter((value) => value !== 0).map(Math.abs);
  const statistic = mean(d);
  const reach = Math.abs(sum(d)) - sum(sizes) * ROUNDING;
  const shared = statistic === null ? {} : { statistic };
  if (sizes.length <= EXACT_AT_MOST) {
    return { p_value: exactShare(sizes, reach), ...shared, method: "exact" };
  }
  const p = (1 + randomHits(sizes, reach, seed, resamples)) / (1 + resamples);
  return { p_value: p, ...shared, method: "monte-carlo", seed, resamples };
}

function exactShare(sizes: readonly number[], reach: number): number {
  const hits = (total: number, position: number): number => {
    const size = sizes[position];
    if (size === undefined) return Math.abs(total) >= reach ? 1 : 0;
    return hits(total + size, position + 1) + hits(total - size, position + 1);
  };
  return hits(0, 0) / 2 ** sizes.length;
}

function randomHits(sizes: readonly number[], reach: number, seed: number, resamples: number): number {
  const random = seededRandom(seed);
  let hits = 0;
  for (let i = 0; i < resamples; i += 1) {
    let total = 0;
    for (const size of sizes) total += random() < 0.5 ? size : -size;
    if (Math.abs(total) >= reach) hits += 1;
  }
  return hits;
}
