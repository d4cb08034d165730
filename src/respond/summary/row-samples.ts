import { PERCENTILES, type RowSample, type RowTally } from "../../plan/results.ts";

/** Computes the sample of one dimension from its row tallies; null without rows. */
export function sampleOfTallies(unordered: readonly RowTally[]): RowSample | null {
  const tallies = unordered
    .filter(({ rows }) => rows > 0)
    .toSorted((a, b) => a.trials - b.trials || a.total - b.total || a.least - b.least);
  if (tallies.length === 0) return null;
  const unit = tallies.reduce((common, { trials }) => leastCommonMultiple(common, BigInt(trials)), 1n);
  let n = 0;
  let sum = 0n;
  let squares = 0n;
  for (const { trials, total, rows } of tallies) {
    const value = BigInt(total) * (unit / BigInt(trials));
    n += rows;
    sum += BigInt(rows) * value;
    squares += BigInt(rows) * value * value;
  }
  const values = tallies
    .map(({ trials, total, rows }) => ({ value: total / trials, rows }))
    .toSorted((a, b) => a.value - b.value);
  const [first = { value: 0 }] = values;
  return {
    moments: { n, sum, squares, unit, shift: 0 },
    zeroOne: tallies.every(({ least }) => least >= 0),
    single: tallies.every(({ trials }) => trials === 1),
    min: first.value,
    max: values.at(-1)?.value ?? first.value,
    percentiles: PERCENTILES.map((percent) => percentileOf(values, n, percent)),
    tallies,
  };
}

function leastCommonMultiple(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return (a / x) * b;
}

/**
 * The two 0-based ranks that a type 7 percentile lies between, and the fraction of the way from the lower to the
 * upper rank.
 */
export function percentileRanks(n: number, percent: number) {
  const position = (n - 1) * percent;
  const below = Math.floor(position / 100);
  return { below, above: Math.ceil(position / 100), part: (position - below * 100) / 100 };
}

/** Interpolates linearly between two neighbours in ascending order. */
export function interpolate(below: number, above: number, part: number): number {
  return below === above ? below : below + (above - below) * part;
}

/** The percentile of n > 0 values in ascending order, where each entry stands for `rows` equal values. */
function percentileOf(
  values: readonly { readonly value: number; readonly rows: number }[],
  n: number,
  percent: number,
): number {
  const { below, above, part } = percentileRanks(n, percent);
  const at = (rank: number): number => {
    let passed = 0;
    for (const { value, rows } of values) {
      passed += rows;
      if (passed > rank) return value;
    }
    return values.at(-1)?.value ?? 0;
  };
  return interpolate(at(below), at(above), part);
}
