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
import { seriesKey } from "../../model/series-key.ts";
import { PERCENTILES, type RowSample, type ScoreSum } from "../../plan/results.ts";
import type { Magnitude, Plan, ScorePath } from "../../plan/plan.ts";
import { interpolate, percentileRanks } from "../../respond/summary/row-samples.ts";
import { isUnit, partOf, type Samples, type ValueReader } from "./value-reader.ts";

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
  const all = scope(numbers, true);
  const few = repeated ? new Set<ScorePath>() : await fewValues(reader, measured, all);
  const found: MeasuredSeries[] = [];
  for (const [compile, counted] of [
    [compileCountedMoments, true],
    [compileRowMoments, false],
  ] as const) {
    const some = measured.filter((path) => few.has(path) === counted);
    if (some.length === 0) continue;
    const within = partOf(all, new Set(some.map(({ key }) => key)));
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
  scope: ValueScope,
): Promise<ReadonlySet<ScorePath>> {
  const unknown = new Set(paths.filter((path) => !isCountable(path)).map(({ key }) => key));
  const sample = () => compileNumberSample(plan, partOf(scope, unknown), SAMPLED * unknown.size);
  const sampled = unknown.size === 0 ? [] : await session.all(sample());
  const recurring = sampled.filter(({ count, distinct }) => count >= LEAST_SAMPLED && 2 * distinct < count);
  const few = new Set(recurring.map(({ pathKey }) => pathKey));
  return new Set(paths.filter(({ key }) => !unknown.has(key) || few.has(key)));
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
  const wide = paths.filter(needsMagnitudes);
  return fixedPoints(paths, await readMagnitudes(session, plan, scope, wide), scope.trialsPerRow);
}

/** Reads the size of the largest number of each series of some dimensions. */
export async function readMagnitudes(
  session: Session,
  plan: Plan,
  scope: ValueScope,
  paths: readonly ScorePath[],
): Promise<readonly Magnitude[]> {
  const part = partOf(scope, new Set(paths.map(({ key }) => key)));
  return part.places.length === 0 ? [] : session.all(compileMagnitudes(plan, part));
}
