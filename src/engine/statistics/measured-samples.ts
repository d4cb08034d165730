import {
  fixedPoints,
  isCountable,
  needsMagnitudes,
  shiftAt,
  type FixedPoint,
} from "../../compile/sums/fixed-point.ts";
import {
  compileCountedMoments,
  compileNumberSample,
  compileRowMoments,
  MOMENT_COLUMNS,
} from "../../compile/statistics/row-moments.ts";
import { compileMagnitudes, compileRowValues, type ValueScope } from "../../compile/statistics/row-values.ts";
import { bitRange } from "../../model/numbers.ts";
import { NUMBER } from "../../model/score-kind.ts";
import type { Session } from "../../store/session.ts";
import type { SqlValue } from "../../store/sql.ts";
import { PERCENTILES } from "../../plan/percentiles.ts";
import type { Magnitude, Plan, ScorePath } from "../../plan/plan.ts";
import { FEW_ROWS, sampleOfWords } from "../../respond/summary/row-samples.ts";
import { placeOf, type RowSample, type ScoreSum } from "../../plan/results.ts";
import { interpolate, percentileRanks } from "../../respond/summary/weighted-percentile.ts";
import { isUnit, type Samples, type ValueReader } from "./value-reader.ts";

/** Numbers that are not only -1, 0 and 1. */
export async function readMeasured(reader: ValueReader, sums: readonly ScoreSum[]): Promise<Samples> {
  const { session, plan, paths, scope, repeated } = reader;
  const numbers = sums.filter(({ kind }) => kind === NUMBER);
  const keys = new Set(numbers.map(({ pathKey }) => pathKey));
  const measured = paths.filter((path) => keys.has(path.key) && !isUnit(path));
  const scopeOf = (some: readonly ScorePath[]) => {
    const among = new Set(some.map(({ key }) => key));
    const places = numbers.filter(({ pathKey }) => among.has(pathKey));
    return scope(places, places.length === numbers.length);
  };
  const few = repeated ? new Set<ScorePath>() : await fewValues(reader, measured, scopeOf);
  const [counted, others] = [true, false].map((one) => measured.filter((path) => few.has(path) === one));
  const found: (readonly [string, RowSample])[] = [];
  for (const [some, compile] of [
    [counted, compileCountedMoments],
    [others, compileRowMoments],
  ] as const) {
    if (some === undefined || some.length === 0) continue;
    const within = scopeOf(some);
    const points = fixedPoints(some, await readMagnitudes(session, plan, within, some), within.trialsARow);
    const records = await session.rows(compile(plan, within, points));
    const samples = records.map((record) => readMoments(record, points, !repeated));
    found.push(...(await withFewValues(reader, within, points, samples)));
  }
  return found;
}

/** So many numbers a place tell how many are distinct; fewer tell nothing. */
const SAMPLED = 2000;
const LEAST_SAMPLED = 500;

/** Places whose numbers recur. A wrong guess costs time and changes no answer. */
async function fewValues(
  { session, plan }: ValueReader,
  paths: readonly ScorePath[],
  scopeOf: (some: readonly ScorePath[]) => ValueScope,
): Promise<ReadonlySet<ScorePath>> {
  const unknown = paths.filter((path) => !isCountable(path));
  const sampled =
    unknown.length === 0
      ? []
      : await session.rows(compileNumberSample(plan, scopeOf(unknown), SAMPLED * unknown.length));
  const recurring = new Set(
    sampled.flatMap(([path, count, distinct]) =>
      Number(count) >= LEAST_SAMPLED && 2 * Number(distinct) < Number(count) ? [Number(path)] : [],
    ),
  );
  return new Set(paths.filter((path) => isCountable(path) || recurring.has(path.key)));
}

/** Evaluations of one statement. */
const READ_TOGETHER = 50;

/** The samples, those of few rows with their values. */
async function withFewValues(
  { session, plan }: ValueReader,
  scope: ValueScope,
  points: readonly FixedPoint[],
  samples: Samples,
): Promise<Samples> {
  const few = new Map(samples.filter(([, { moments }]) => moments.n < FEW_ROWS));
  const places = scope.places.filter((place) => few.has(placeOf(place)));
  const keys = [...new Set(places.map(({ evaluationKey }) => evaluationKey))];
  const values = new Map<string, number[]>();
  for (let i = 0; i < keys.length; i += READ_TOGETHER) {
    const among = new Set(keys.slice(i, i + READ_TOGETHER));
    const part = { ...scope, places: places.filter(({ evaluationKey }) => among.has(evaluationKey)) };
    for (const [evaluation, path, value] of await session.rows(compileRowValues(plan, part, points))) {
      const place = placeOf({ evaluationKey: Number(evaluation), pathKey: Number(path) });
      const list = values.get(place);
      if (list === undefined) values.set(place, [Number(value)]);
      else list.push(Number(value));
    }
  }
  return samples.map(([place, sample]) => [place, { ...sample, values: values.get(place) ?? null }]);
}

function readMoments(
  record: readonly SqlValue[],
  points: readonly FixedPoint[],
  single: boolean,
): readonly [string, RowSample] {
  const [evaluation, path, rows, sum, hh, hl, ll, min, max] = record;
  const place = { evaluationKey: Number(evaluation), pathKey: Number(path) };
  const n = Number(rows);
  const values = record.slice(MOMENT_COLUMNS).map(Number);
  const percentiles = PERCENTILES.map((percent, i) => {
    const [below = 0, above = 0] = values.slice(2 * i);
    return interpolate(below, above, percentileRanks(n, percent).part);
  });
  const sums = {
    n,
    sum: whole(sum),
    hh: whole(hh),
    hl: whole(hl),
    ll: whole(ll),
    min: Number(min),
    max: Number(max),
  };
  const shift = shiftAt(points, place.evaluationKey, place.pathKey);
  return [placeOf(place), sampleOfWords(sums, shift, single, percentiles)];
}

function whole(value: SqlValue | undefined): bigint {
  return typeof value === "bigint" ? value : 0n;
}

/** The largest numbers of places that have very large ones beside small ones. */
export async function readMagnitudes(
  session: Session,
  plan: Plan,
  scope: ValueScope,
  paths: readonly ScorePath[],
): Promise<Magnitude[]> {
  const ranging = new Set(paths.filter(needsMagnitudes).map(({ key }) => key));
  const places = scope.places.filter(({ pathKey }) => ranging.has(pathKey));
  if (places.length === 0) return [];
  const wholeKinds = scope.wholeKinds && places.length === scope.places.length;
  const found = await session.rows(compileMagnitudes(plan, { ...scope, places, wholeKinds }));
  return found.map(([evaluation, path, largest]) => ({
    evaluationKey: Number(evaluation),
    pathKey: Number(path),
    exponent: Number(largest) === 0 ? 0 : bitRange(Number(largest)).high,
  }));
}
