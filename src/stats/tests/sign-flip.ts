import { checkCount, checkFinite, checkObject } from "../numeric/arguments.ts";
import { mean } from "../estimates/mean.ts";
import { seededRandom } from "../numeric/random.ts";

export interface SignFlipResult {
  /** Two-sided p value. */
  readonly p_value: number;
  /** The mean difference; absent without differences. */
  readonly statistic?: number;
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
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const reach = Math.abs(d.reduce((sum, value) => sum + value, 0)) - total * ROUNDING;
  const shared = statistic === null ? {} : { statistic };
  if (sizes.length <= EXACT_AT_MOST) {
    return { p_value: exactShare(sizes, reach), ...shared, method: "exact" };
  }
  const p = (1 + randomHits(sizes, reach, seed, resamples)) / (1 + resamples);
  return { p_value: p, ...shared, method: "monte-carlo", seed, resamples };
}

function exactShare(sizes: readonly number[], reach: number): number {
  const hits = (sum: number, position: number): number => {
    const size = sizes[position];
    if (size === undefined) return Math.abs(sum) >= reach ? 1 : 0;
    return hits(sum + size, position + 1) + hits(sum - size, position + 1);
  };
  return hits(0, 0) / 2 ** sizes.length;
}

function randomHits(sizes: readonly number[], reach: number, seed: number, resamples: number): number {
  const random = seededRandom(seed);
  let hits = 0;
  for (let i = 0; i < resamples; i += 1) {
    let sum = 0;
    for (const size of sizes) sum += random() < 0.5 ? size : -size;
    if (Math.abs(sum) >= reach) hits += 1;
  }
  return hits;
}
