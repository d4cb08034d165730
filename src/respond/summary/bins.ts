import { bitRange } from "../../model/numbers.ts";
import type { RowTally } from "../../plan/results.ts";
import { ratio } from "./exact-moments.ts";

/**
 * The edges of `bins` bins of equal width from `least` to `most`, `bins` + 1 of them: the double nearest to
 * least + (most − least) · i / bins. All are alike where `least` is `most`.
 */
export function binEdges(least: number, most: number, bins: number): number[] {
  const shift = -Math.min(lowBit(least), lowBit(most));
  const [low, high] = [wholeOf(least, shift), wholeOf(most, shift)];
  return Array.from({ length: bins + 1 }, (_, i) =>
    ratio(low * BigInt(bins - i) + high * BigInt(i), BigInt(bins), shift),
  );
}

function lowBit(value: number): number {
  return value === 0 ? 0 : bitRange(value).low;
}

/** value · 2^shift, which is a whole number. */
function wholeOf(value: number, shift: number): bigint {
  if (value === 0) return 0n;
  const low = lowBit(value);
  const significand = BigInt(scaleToWhole(value, low));
  return significand << BigInt(low + shift);
}

/** value / 2^low in two steps, since 2^-low itself may exceed the range of doubles. */
function scaleToWhole(value: number, low: number): number {
  const half = Math.trunc(low / 2);
  return value * 2 ** -half * 2 ** -(low - half);
}

/** Finds the bin of an edge that some value follows: of equal edges the last, whose bin alone has a width. */
export function binsByEdge(edges: readonly number[]): ReadonlyMap<number, number> {
  return new Map(edges.slice(0, -1).map((edge, i) => [edge, i]));
}

/** The rows in each bin, which holds its lower edge, and the last one its upper edge too. */
export function countTallies(tallies: readonly RowTally[], edges: readonly number[]): number[] {
  const counts = Array<number>(edges.length - 1).fill(0);
  for (const { trials, total, rows } of tallies) {
    const above = edges.findIndex((edge) => edge > total / trials);
    const bin = above < 0 ? counts.length - 1 : above - 1;
    counts[bin] = (counts[bin] ?? 0) + rows;
  }
  return counts;
}
