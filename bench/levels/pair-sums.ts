import type { ClusterWords } from "../../src/plan/results.ts";
import type { PairSums } from "../../src/respond/compare/pair-sums.ts";
import type { Project, Values } from "./designs.ts";

/** Numbers are whole multiples of this power of two. */
const SHIFT = 40;

/** The sums of a candidate against the baseline, as the engine reads them; a test compares both. */
export function pairSumsOf(
  baseline: Values,
  candidate: Values,
  { trials, clusters }: Pick<Project, "trials" | "clusters">,
): PairSums | null {
  const pairs = baseline.flatMap((b, row) => {
    const a = candidate[row];
    return b === null || a == null ? [] : [{ a, b, d: word(a) - word(b), cluster: clusters?.[row] ?? row }];
  });
  if (pairs.length === 0) return null;
  const n = pairs.length;
  const sum = pairs.reduce((total, { d }) => total + d, 0n);
  const squares = pairs.reduce((total, { d }) => total + d * d, 0n);
  return {
    differences: { n, sum, squares, unit: 1n, shift: SHIFT },
    baselineMean: pairs.reduce((total, { b }) => total + b, 0) / n,
    candidateMean: pairs.reduce((total, { a }) => total + a, 0) / n,
    least: pairs.reduce((least, { d }) => Math.min(least, Number(d)), Infinity) / 2 ** SHIFT,
    most: pairs.reduce((most, { d }) => Math.max(most, Number(d)), -Infinity) / 2 ** SHIFT,
    higher: pairs.filter(({ d }) => d > 0n).length,
    lower: pairs.filter(({ d }) => d < 0n).length,
    rounding: 0,
    equal: BigInt(n) * squares === sum * sum,
    single: trials <= 1,
    clusters: clusters === null ? null : bySize(pairs),
  };
}

function word(value: number): bigint {
  return BigInt(Math.round(value * 2 ** SHIFT));
}

function bySize(pairs: readonly { readonly d: bigint; readonly cluster: number }[]): ClusterWords[] {
  const clusters = new Map<number, { size: number; sum: bigint }>();
  for (const { d, cluster } of pairs) {
    const own = clusters.get(cluster) ?? { size: 0, sum: 0n };
    clusters.set(cluster, { size: own.size + 1, sum: own.sum + d });
  }
  const sizes = new Map<number, ClusterWords>();
  for (const { size, sum } of clusters.values()) {
    const own = sizes.get(size) ?? { size, count: 0, sum: 0n, squares: 0n };
    const squares = own.squares + sum * sum;
    sizes.set(size, { size, count: own.count + 1, sum: own.sum + sum, squares });
  }
  return [...sizes.values()];
}
