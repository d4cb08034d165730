import { check } from "../numeric/arguments.ts";
import { sum } from "../numeric/sum.ts";

/** Cov(x, y)/√(Var x · Var y), within [−1, 1]; null where a variance is 0. */
export function correlation(covariance: number, varianceX: number, varianceY: number): number | null {
  const scale = Math.sqrt(varianceX) * Math.sqrt(varianceY);
  return scale === 0 ? null : Math.min(1, Math.max(-1, covariance / scale));
}

/** A pair of values and how often it occurs. */
interface PairCount {
  readonly x: number;
  readonly y: number;
  readonly count: number;
}

/**
 * Kendall's τ-b, corrected for ties: (concordant − discordant)/√(pairs untied in x · pairs untied in y); null where a
 * side is constant. O(n log n) in the number of entries (Knight 1966). Yields between steps, so that the caller can let
 * other work run.
 */
export function* kendallTauBSteps(pairs: readonly PairCount[]): Generator<undefined, number | null> {
  const total = sum(pairs.map(({ count }) => count));
  check(total < 2 ** 26, "fewer than 2^26 pairs");
  const untiedX = untied(pairs, total, ({ x }) => x);
  yield;
  const untiedY = untied(pairs, total, ({ y }) => y);
  yield;
  const untiedBoth = untiedX + untiedY - untied(pairs, total, ({ x, y }) => `${x} ${y}`);
  return correlation(2 * (yield* concordant(pairs)) - untiedBoth, untiedX, untiedY);
}

const PAIRS_A_STEP = 1000;

/** The number of pairs of observations that differ in a value. */
function untied(
  pairs: readonly PairCount[],
  total: number,
  valueOf: (pair: PairCount) => number | string,
): number {
  const counts = new Map<number | string, number>();
  for (const pair of pairs) counts.set(valueOf(pair), (counts.get(valueOf(pair)) ?? 0) + pair.count);
  return (total ** 2 - sum([...counts.values()].map((count) => count ** 2))) / 2;
}

/**
 * The number of concordant pairs: each observation, in order of x, makes one with every observation before it that has
 * a smaller y. Those of equal x stand in descending order of y, so that they make none. Counts by rank of y are kept so
 * that a sum up to a rank takes a logarithmic number of steps; Fenwick 1994.
 */
function* concordant(pairs: readonly PairCount[]): Generator<undefined, number> {
  const ordered = pairs.toSorted((a, b) => a.x - b.x || b.y - a.y);
  const values = [...new Set(pairs.map(({ y }) => y))].sort((a, b) => a - b);
  yield;
  const ranks = new Map(values.map((value, i) => [value, i + 1]));
  const seen = new Float64Array(values.length + 1);
  let found = 0;
  for (const [i, { y, count }] of ordered.entries()) {
    const rank = ranks.get(y) ?? 0;
    for (let at = rank - 1; at > 0; at -= at & -at) found += count * (seen[at] ?? 0);
    for (let at = rank; at < seen.length; at += at & -at) seen[at] = (seen[at] ?? 0) + count;
    if (i % PAIRS_A_STEP === PAIRS_A_STEP - 1) yield;
  }
  return found;
}
