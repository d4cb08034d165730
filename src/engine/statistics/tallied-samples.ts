import {
  compileRowTallies,
  compileUnitSums,
  compileZeroOnes,
  type ValuePlace,
} from "../../compile/statistics/row-values.ts";
import { grouped } from "../../model/grouped.ts";
import { BOOLEAN, NUMBER } from "../../model/score-kind.ts";
import { sampleOfTallies } from "../../respond/summary/row-samples.ts";
import { seriesKey } from "../../model/series-key.ts";
import type { RowSample, RowTally, ScoreSum } from "../../plan/results.ts";
import { isUnit, numericOf, type Samples, type ValueReader } from "./value-reader.ts";

/** Reads the series that pass or fail: booleans without numbers beside them, and numbers that are all -1, 0 or 1. */
export async function readTallied(reader: ValueReader, sums: readonly ScoreSum[]): Promise<Samples> {
  const units = new Set(reader.paths.filter(isUnit).map(({ key }) => key));
  const numbers = sums.filter(({ kind }) => kind === NUMBER);
  const binary = numericOf(sums).filter(({ kind }) => kind === BOOLEAN);
  const unitNumbers = numbers.filter(({ pathKey }) => units.has(pathKey));
  return readTallies(reader, [...unitNumbers, ...binary], unitNumbers.length === numbers.length);
}

/**
 * Reads the series whose numbers are all 0 or 1, of dimensions that have other numbers elsewhere. `samples` spare the
 * search of those that they rule out.
 */
export async function readZeroOnes(
  reader: ValueReader,
  sums: readonly ScoreSum[],
  samples: ReadonlyMap<string, RowSample>,
): Promise<Samples> {
  const { session, plan, paths, scope } = reader;
  const others = new Set(paths.filter((path) => !isUnit(path)).map(({ key }) => key));
  const possible = sums.filter(
    (one) => one.kind === NUMBER && others.has(one.pathKey) && mayBeZeroOne(samples.get(seriesKey(one))),
  );
  if (possible.length === 0) return [];
  const found = await session.all(compileZeroOnes(plan, scope(possible, false)));
  const names = new Set(found.map(seriesKey));
  const zeroOnes = possible.filter((one) => names.has(seriesKey(one)));
  return readTallies(reader, zeroOnes, false);
}

/** If each row has one value, 0 or 1, the sum is the sum of squares. */
function mayBeZeroOne(sample: RowSample | undefined): boolean {
  if (sample === undefined) return true;
  const { min, max, single, moments } = sample;
  if (min < 0 || max > 1) return false;
  return !single || moments.shift < 0 || moments.squares === moments.sum << BigInt(moments.shift);
}

/** `noOthers`: all numbers of the scope are among those that are wanted. */
async function readTallies(
  reader: ValueReader,
  wanted: readonly ScoreSum[],
  noOthers: boolean,
): Promise<Samples> {
  if (wanted.length === 0) return [];
  const names = new Set(wanted.map(kindOfSeries));
  const { session, plan, scope, repeated } = reader;
  const read: readonly Tally[] = repeated
    ? await session.all(compileRowTallies(plan, scope(wanted, false)))
    : await readSingle(reader, wanted, noOthers);
  const tallies = read.filter((one) => names.has(kindOfSeries(one)));
  return [...grouped(tallies, seriesKey)].flatMap(([place, own]) => {
    const sample = sampleOfTallies(own);
    return sample === null ? [] : [[place, sample] as const];
  });
}

type Tally = RowTally & ValuePlace;

function kindOfSeries(one: ValuePlace): string {
  return `${seriesKey(one)}:${one.kind}`;
}

/** Reads rows with one trial each: -1, 0 and 1 are counted by the sum of the values and the sum of their squares. */
async function readSingle(
  { session, plan, scope }: ValueReader,
  wanted: readonly ScoreSum[],
  noOthers: boolean,
): Promise<readonly Tally[]> {
  const numbers = wanted.filter(({ kind }) => kind === NUMBER);
  const sums = numbers.length === 0 ? [] : await session.all(compileUnitSums(plan, scope(numbers, noOthers)));
  const binary = wanted.filter(({ kind }) => kind === BOOLEAN);
  return [
    ...sums.map((one) => ({ ...one, kind: NUMBER })),
    ...binary.map((one) => ({ ...one, squares: one.total })),
  ].flatMap(({ count, total, squares, ...place }) => {
    const tally = (value: number, rows: number) => ({
      ...place,
      trials: 1,
      total: value,
      least: value,
      rows,
    });
    return [tally(-1, (squares - total) / 2), tally(0, count - squares), tally(1, (squares + total) / 2)];
  });
}
