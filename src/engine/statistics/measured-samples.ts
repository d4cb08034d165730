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
  type RowMoments,
} from "../../compile/statistics/row-moments.ts";
import { compileMagnitudes, type ValueScope } from "../../compile/statistics/row-values.ts";
import { NUMBER } from "../../model/score-kind.ts";
import type { Session } from "../../store/session.ts";
import { PERCENTILES } from "../../plan/percentiles.ts";
import type { Magnitude, Plan, ScorePath } from "../../plan/plan.ts";
import { seriesKey, type RowSample, type ScoreSum } from "../../plan/results.ts";
import { interpolate, percentileRanks } from "../../respond/summary/weighted-percentile.ts";
import { isUnit, type Samples, type ValueReader } from "./value-reader.ts";

/** Series of numbers, with the scope and the points that their values were read by. */
export interface MeasuredSeries {
  readonly scope: ValueScope;
  readonly points: readonly FixedPoint[];
  readonly samples: Samples;
}

/** Reads the series of numbers other than -1, 0 and 1. */
export async function readMeasured(
  reader: ValueReader,
  sums: readonly ScoreSum[],
): Promise<MeasuredSeries[]> {
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
  const found: MeasuredSeries[] = [];
  for (const [some, compile] of [
    [counted, compileCountedMoments],
    [others, compileRowMoments],
  ] as const) {
    if (some === undefined || some.length === 0) continue;
    const within = scopeOf(some);
    const points = await readPoints(session, plan, within, some);
    const moments = await session.all(compile(plan, within, points));
    const samples = moments.map((one) => sampleOfMoments(one, points, !repeated));
    found.push({ scope: within, points, samples });
  }
  return found;
}

/** Numbers to sample per dimension to learn how many are distinct; fewer than {@link LEAST_SAMPLED} tell nothing. */
const SAMPLED = 2000;
const LEAST_SAMPLED = 500;

/** Chooses the dimensions whose numbers recur. A wrong guess costs time and changes no answer. */
async function fewValues(
  { session, plan }: ValueReader,
  paths: readonly ScorePath[],
  scopeOf: (some: readonly ScorePath[]) => ValueScope,
): Promise<ReadonlySet<ScorePath>> {
  const unknown = paths.filter((path) => !isCountable(path));
  const sampled =
    unknown.length === 0
      ? []
      : await session.all(compileNumberSample(plan, scopeOf(unknown), SAMPLED * unknown.length));
  const recurring = new Set(
    sampled.flatMap(({ pathKey, count, distinct }) =>
      count >= LEAST_SAMPLED && 2 * distinct < count ? [pathKey] : [],
    ),
  );
  return new Set(paths.filter((path) => isCountable(path) || recurring.has(path.key)));
}

function sampleOfMoments(
  moments: RowMoments,
  points: readonly FixedPoint[],
  single: boolean,
): readonly [string, RowSample] {
  const { evaluationKey, pathKey, n, sum, squares, min, max, around } = moments;
  const percentiles = PERCENTILES.map((percent, i) => {
    const [below = 0, above = 0] = around.slice(2 * i);
    return interpolate(below, above, percentileRanks(n, percent).part);
  });
  const sample: RowSample = {
    moments: { n, sum, squares, unit: 1n, shift: shiftAt(points, evaluationKey, pathKey) },
    zeroOne: false,
    single,
    min,
    max,
    percentiles,
    tallies: null,
  };
  return [seriesKey(moments), sample];
}

/** The points by which the values of a scope become words. */
export async function readPoints(
  session: Session,
  plan: Plan,
  scope: ValueScope,
  paths: readonly ScorePath[],
): Promise<FixedPoint[]> {
  return fixedPoints(paths, await readMagnitudes(session, plan, scope, paths), scope.trialsPerRow);
}

/** Reads the size of the largest number of each series, for dimensions with very large numbers beside small ones. */
export async function readMagnitudes(
  session: Session,
  plan: Plan,
  scope: ValueScope,
  paths: readonly ScorePath[],
): Promise<readonly Magnitude[]> {
  const ranging = new Set(paths.filter(needsMagnitudes).map(({ key }) => key));
  const places = scope.places.filter(({ pathKey }) => ranging.has(pathKey));
  if (places.length === 0) return [];
  const wholeKinds = scope.wholeKinds && places.length === scope.places.length;
  return session.all(compileMagnitudes(plan, { ...scope, places, wholeKinds }));
}
