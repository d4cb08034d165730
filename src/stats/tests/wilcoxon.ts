import { check, checkFinite, checkObject, unknownChoice } from "../numeric/arguments.ts";
import { normalCdf } from "../numeric/distributions.ts";
import { sum } from "../numeric/sum.ts";
import type { TestResult } from "./paired-rates.ts";

export type WilcoxonMethod = "exact" | "asymptotic";

export interface WilcoxonResult extends TestResult {
  /** The smaller of two rank sums: that of the positive and that of the negative differences. */
  readonly statistic: number;
  readonly method: WilcoxonMethod;
  /** Number of differences of 0, which are dropped. */
  readonly zeros: number;
}

const EXACT_BY_DEFAULT = 50;
const EXACT_AT_MOST = 500;

/**
 * Wilcoxon's signed rank test of paired differences around 0 (1945). "exact" enumerates the signs given the ranks,
 * mid-ranks included (at most 500 differences); "asymptotic" is the normal approximation with tie correction and
 * without continuity correction. The default is exact for at most 50 differences without ties. p = 1 where no
 * non-zero difference is left.
 */
export function wilcoxonSignedRank(
  d: readonly number[],
  options: { readonly method?: WilcoxonMethod | undefined } = {},
): WilcoxonResult {
  checkObject("options", options);
  checkFinite("d", d);
  // 1 − 2/3 and 1/3 − 0 are the same size rounded differently, so they must tie.
  const nonZero = d.filter((value) => value !== 0).map((value) => Number(value.toPrecision(12)));
  const sizes = nonZero.map(Math.abs);
  const ranks = midRanks(sizes);
  const tied = new Set(sizes).size < sizes.length;
  const method = options.method ?? (!tied && sizes.length <= EXACT_BY_DEFAULT ? "exact" : "asymptotic");
  const positive = sum(ranks.filter((_, i) => (nonZero[i] ?? 0) > 0));
  const statistic = Math.min(positive, (sizes.length * (sizes.length + 1)) / 2 - positive);
  if (method !== "exact" && method !== "asymptotic") throw unknownChoice("method", method);
  const pOf = method === "exact" ? exactP : asymptoticP;
  return { p_value: pOf(statistic, ranks), statistic, method, zeros: d.length - nonZero.length };
}

/** Doubled mid-ranks are whole numbers, so a table can hold the distribution of their signed sum. */
function exactP(statistic: number, ranks: readonly number[]): number {
  check(ranks.length <= EXACT_AT_MOST, `at most ${EXACT_AT_MOST} non-zero differences for "exact"`);
  const limit = 2 * statistic;
  const probability = new Float64Array(limit + 1);
  probability[0] = 1;
  for (const rank of ranks) {
    for (let at = limit; at >= 0; at -= 1) {
      probability[at] = ((probability[at] ?? 0) + (probability[at - 2 * rank] ?? 0)) / 2;
    }
  }
  return Math.min(1, 2 * sum(probability));
}

/** The sum of ranks with signs by chance has mean Σr/2 and variance Σr²/4, which ties make smaller. */
function asymptoticP(statistic: number, ranks: readonly number[]): number {
  if (ranks.length === 0) return 1;
  return 2 * normalCdf((statistic - sum(ranks) / 2) / Math.sqrt(sum(ranks.map((rank) => rank * rank)) / 4));
}

/** Ranks from 1, in input order; equal values share the mean of their ranks. */
function midRanks(x: readonly number[]): readonly number[] {
  const ranked = x.toSorted((a, b) => a - b).map((value, i) => [value, i + 1] as const);
  const [last, first] = [new Map(ranked), new Map(ranked.toReversed())];
  return x.map((value) => ((first.get(value) ?? 0) + (last.get(value) ?? 0)) / 2);
}
