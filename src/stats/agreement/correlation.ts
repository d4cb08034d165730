import { check } from "../numeric/arguments.ts";

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
 * Kendall's τ-b, corrected for ties: (concordant − discordant)/√(pairs untied in x · pairs untied in y); null where a side is
 * constant. O(n log n) in the number of entries (Knight 1966). Yields between steps, so that the caller can let other work run.
 */
export function* kendallTauBSteps(pairs: readonly PairCount[]): Generator<undefined, number | null> {
  const total = pairs.reduce((sum, { count }) => sum + count, 0);
  check(total < 2 ** 26, "fewer than 2^26 pairs");
  const untiedX = untied(pairs, total, ({ x }) => x);
  yield;
  const untiedY = untied(pairs, total, ({ y }) => y);
  yield;
  const scale = Math.sqrt(untiedX) * Math.sqrt(untiedY);
  return scale === 0 ? null : Math.min(1, Math.max(-1, (yield* concordance(pairs)) / scale));
}

const PAIRS_A_STEP = 1000;

/** The number of pairs of observations that differ in a value. */
function untied(pairs: readonly PairCount[], total: number, valueOf: (pair: PairCount) => number): number {
  const counts = new Map<number, number>();
  for (const pair of pairs) counts.set(valueOf(pair), (counts.get(valueOf(pair)) ?? 0) + pair.count);
  const tied = [...counts.values()].reduce((sum, count) => sum + (count * (count - 1)) / 2, 0);
  return (total * (total - 1)) / 2 - tied;
}

/**
 * The number of concordant minus discordant pairs: for each observation in order of x, those with smaller x and
 * smaller y count 1 and those with smaller x and larger y count −1.
 */
function* concordance(pairs: readonly PairCount[]): Generator<undefined, number> {
  const ordered = [...pairs].sort((a, b) => a.x - b.x);
  const values = [...new Set(pairs.map(({ y }) => y))].sort((a, b) => a - b);
  yield;
  const ranks = new Map(values.map((value, i) => [value, i + 1]));
  const rankOf = ({ y }: PairCount) => ranks.get(y) ?? 0;
  const seen = new PrefixCounts(values.length);
  let before = 0;
  let score = 0;
  let pause = PAIRS_A_STEP;
  for (let from = 0; from < ordered.length;) {
    let to = from;
    while (ordered[to]?.x === ordered[from]?.x && to < ordered.length) to += 1;
    const tied = ordered.slice(from, to);
    for (const pair of tied) {
      const rank = rankOf(pair);
      const above = before - seen.upTo(rank);
      score += pair.count * (seen.upTo(rank - 1) - above);
    }
    for (const pair of tied) {
      seen.add(rankOf(pair), pair.count);
      before += pair.count;
    }
    from = to;
    if (from < pause) continue;
    pause = from + PAIRS_A_STEP;
    yield;
  }
  return score;
}

/** Counts by rank, where the sum up to a rank takes a logarithmic number of steps; Fenwick 1994. */
class PrefixCounts {
  readonly #sums: Float64Array;

  constructor(size: number) {
    this.#sums = new Float64Array(size + 1);
  }

  add(rank: number, count: number): void {
    for (let i = rank; i < this.#sums.length; i += i & -i) this.#sums[i] = (this.#sums[i] ?? 0) + count;
  }

  upTo(rank: number): number {
    let sum = 0;
    for (let i = rank; i > 0; i -= i & -i) sum += this.#sums[i] ?? 0;
    return sum;
  }
}
