import { compileRowTallies } from "../compile/row-values.ts";
import type { SqlValue } from "../model/sql.ts";
import { sampleOfTallies, type RowTally } from "../respond/row-samples.ts";
import { placeOf, type ScoreSum } from "../respond/summary.ts";
import { BOOLEAN, isUnit, NUMBER, type Samples, type ValueReader } from "./value-reader.ts";

/** Places that pass or fail: booleans without numbers beside them, and numbers that are -1, 0 or 1. */
export async function readTallied(reader: ValueReader, sums: readonly ScoreSum[]): Promise<Samples> {
  const { session, plan, paths, scope, repeated } = reader;
  const units = new Set(paths.filter(isUnit).map(({ key }) => key));
  const numeric = new Set(sums.filter(({ kind }) => kind === NUMBER).map(placeOf));
  const binary = sums.filter((one) => one.kind === BOOLEAN && !numeric.has(placeOf(one)));
  const unitNumbers = sums.filter(({ kind, pathKey }) => kind === NUMBER && units.has(pathKey));
  const wanted = repeated ? [...unitNumbers, ...binary] : unitNumbers;
  const records = wanted.length === 0 ? [] : await session.rows(compileRowTallies(plan, scope(wanted)));
  const places = groupTallies(records, numeric, units);
  if (!repeated) for (const one of binary) places.set(placeOf(one), singleTallies(one));
  return [...places].flatMap(([place, tallies]) => {
    const sample = sampleOfTallies(tallies);
    return sample === null ? [] : [[place, sample] as const];
  });
}

function groupTallies(
  records: readonly (readonly SqlValue[])[],
  numeric: ReadonlySet<string>,
  units: ReadonlySet<number>,
): Map<string, RowTally[]> {
  const places = new Map<string, RowTally[]>();
  for (const [evaluation, path, kind, trials, total, least, rows] of records) {
    const place = placeOf({ evaluationKey: Number(evaluation), pathKey: Number(path) });
    const isNumber = Number(kind) === NUMBER;
    if (isNumber !== numeric.has(place) || (isNumber && !units.has(Number(path)))) continue;
    const tally = {
      trials: Number(trials),
      total: Number(total),
      least: Number(least),
      rows: Number(rows),
    };
    const list = places.get(place);
    if (list === undefined) places.set(place, [tally]);
    else list.push(tally);
  }
  return places;
}

/** One trial a row: the sum of the booleans is all there is to know. */
function singleTallies({ count, total }: ScoreSum): RowTally[] {
  return [
    { trials: 1, total: 0, least: 0, rows: count - total },
    { trials: 1, total: 1, least: 1, rows: total },
  ];
}
