import { compileRowTallies, compileUnitSums } from "../../compile/statistics/row-values.ts";
import { BOOLEAN, NUMBER } from "../../model/score-kind.ts";
import { sampleOfTallies } from "../../respond/summary/row-samples.ts";
import { seriesKey, type RowTally, type ScoreSum } from "../../plan/results.ts";
import { isUnit, type Samples, type ValueReader } from "./value-reader.ts";

/** Reads the series that pass or fail: booleans without numbers beside them, and numbers that are all -1, 0 or 1. */
export async function readTallied(reader: ValueReader, sums: readonly ScoreSum[]): Promise<Samples> {
  const units = new Set(reader.paths.filter(isUnit).map(({ key }) => key));
  const numbers = sums.filter(({ kind }) => kind === NUMBER);
  const numeric = new Set(numbers.map(seriesKey));
  const binary = sums.filter((one) => one.kind === BOOLEAN && !numeric.has(seriesKey(one)));
  const unitNumbers = numbers.filter(({ pathKey }) => units.has(pathKey));
  const places = reader.repeated
    ? await readRepeated(reader, [...unitNumbers, ...binary])
    : await readSingle(reader, unitNumbers, unitNumbers.length === numbers.length, binary);
  return [...places].flatMap(([place, tallies]) => {
    const sample = sampleOfTallies(tallies);
    return sample === null ? [] : [[place, sample] as const];
  });
}

type Tallies = Map<string, RowTally[]>;

async function readRepeated(
  { session, plan, scope }: ValueReader,
  wanted: readonly ScoreSum[],
): Promise<Tallies> {
  if (wanted.length === 0) return new Map();
  const names = new Set(wanted.map((one) => `${seriesKey(one)}:${one.kind}`));
  const places: Tallies = new Map();
  for (const tally of await session.all(compileRowTallies(plan, scope(wanted, false)))) {
    const place = seriesKey(tally);
    if (!names.has(`${place}:${tally.kind}`)) continue;
    const list = places.get(place);
    if (list === undefined) places.set(place, [tally]);
    else list.push(tally);
  }
  return places;
}

/** Reads rows with one trial each, for which sums are sufficient. */
async function readSingle(
  { session, plan, scope }: ValueReader,
  unitNumbers: readonly ScoreSum[],
  noOthers: boolean,
  binary: readonly ScoreSum[],
): Promise<Tallies> {
  const found =
    unitNumbers.length === 0 ? [] : await session.all(compileUnitSums(plan, scope(unitNumbers, noOthers)));
  return new Map([
    ...found.map((one) => [seriesKey(one), singleTallies(one.count, one.total, one.squares)] as const),
    ...binary.map((one) => [seriesKey(one), singleTallies(one.count, one.total, one.total)] as const),
  ]);
}

/** Derives how many of `count` values are -1, 0 and 1, from their sum and the sum of their squares. */
function singleTallies(count: number, total: number, squares: number): RowTally[] {
  return [
    { value: -1, rows: (squares - total) / 2 },
    { value: 0, rows: count - squares },
    { value: 1, rows: (squares + total) / 2 },
  ].map(({ value, rows }) => ({ trials: 1, total: value, least: value, rows }));
}
