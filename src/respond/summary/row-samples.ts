import { PERCENTILES, type RowSample, type RowTally } from "../../plan/results.ts";
import { percentileOf } from "./weighted-percentile.ts";

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
