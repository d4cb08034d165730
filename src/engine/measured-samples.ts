import {
  countablePoints,
  fixedPoints,
  isCountable,
  needsMagnitudes,
  shiftAt,
  type FixedPoint,
} from "../compile/fixed-point.ts";
import {
  compileCountedMoments,
  compileRankedValues,
  compileRowMoments,
  MOMENT_COLUMNS,
  PERCENTILES,
  RANK_COLUMNS,
  type WantedRank,
} from "../compile/row-moments.ts";
import { compileMagnitudes, type ValueScope } from "../compile/row-values.ts";
import { bitRange } from "../model/numbers.ts";
import type { Session } from "../model/session.ts";
import type { SqlValue } from "../model/sql.ts";
import type { Magnitude, Plan, ScorePath } from "../plan/plan.ts";
import { sampleOfWords, type RowSample } from "../respond/row-samples.ts";
import { placeOf, type ScoreSum } from "../respond/summary.ts";
import { interpolate, percentileRanks } from "../respond/weighted-percentile.ts";
import { isUnit, NUMBER, type Samples, type ValueReader } from "./value-reader.ts";

/** Numbers that are not only -1, 0 and 1. */
export async function readMeasured(reader: ValueReader, sums: readonly ScoreSum[]): Promise<Samples> {
  const { session, plan, paths, scope, repeated } = reader;
  const numbers = sums.filter(({ kind }) => kind === NUMBER);
  const keys = new Set(numbers.map(({ pathKey }) => pathKey));
  const measured = paths.filter((path) => keys.has(path.key) && !isUnit(path));
  const counted = repeated ? [] : measured.filter(isCountable);
  const others = measured.filter((path) => !counted.includes(path));
  const scopeOf = (some: readonly ScorePath[]) =>
    scope(numbers.filter(({ pathKey }) => some.some(({ key }) => key === pathKey)));
  const found: (readonly [string, RowSample])[] = [];
  if (counted.length > 0) {
    const points = countablePoints(counted);
    const records = await session.rows(compileCountedMoments(plan, scopeOf(counted), points));
    found.push(...records.map((record) => readMoments(record, points, true, new Map())));
  }
  if (others.length > 0) {
    const within = scopeOf(others);
    const magnitudes = await readMagnitudes(session, plan, within, others);
    const points = fixedPoints(others, magnitudes, within.trialsARow);
    const records = await session.rows(compileRowMoments(plan, within, points));
    const wanted = records.flatMap((record) => ranksOf(record)).filter((rank) => rank.low !== rank.high);
    const values = await readRanked(session, plan, within, points, wanted);
    found.push(...records.map((record) => readMoments(record, points, !repeated, values)));
  }
  return found;
}

function readMoments(
  record: readonly SqlValue[],
  points: readonly FixedPoint[],
  single: boolean,
  values: ReadonlyMap<string, number>,
): readonly [string, RowSample] {
  const [evaluation, path, n, sum, hh, hl, ll, min, max] = record;
  const place = { evaluationKey: Number(evaluation), pathKey: Number(path) };
  const ranks = ranksOf(record);
  const at = (rank: Rank | undefined) =>
    rank === undefined ? 0 : rank.low === rank.high ? rank.low : (values.get(rankName(rank)) ?? rank.low);
  const [p50 = 0, p90 = 0, p99 = 0] = PERCENTILES.map((percent, k) => {
    const { part } = percentileRanks(Number(n), percent);
    return interpolate(at(ranks[2 * k]), at(ranks[2 * k + 1]), part);
  });
  const sums = {
    n: Number(n),
    sum: whole(sum),
    hh: whole(hh),
    hl: whole(hl),
    ll: whole(ll),
    min: Number(min),
    max: Number(max),
  };
  const shift = shiftAt(points, place.evaluationKey, place.pathKey);
  return [placeOf(place), sampleOfWords(sums, shift, single, [p50, p90, p99])];
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
  const found = await session.rows(compileMagnitudes(plan, { ...scope, places }));
  return found.map(([evaluation, path, largest]) => ({
    evaluationKey: Number(evaluation),
    pathKey: Number(path),
    exponent: Number(largest) === 0 ? 0 : bitRange(Number(largest)).high,
  }));
}

/** Where a rank lies; `low` and `high` are the smallest and largest value of its bucket. */
interface Rank extends WantedRank {
  readonly low: number;
  readonly high: number;
}

function ranksOf(record: readonly SqlValue[]): Rank[] {
  const [evaluation, path, n] = record;
  return PERCENTILES.flatMap((percent, k) => {
    const { below, above } = percentileRanks(Number(n), percent);
    return [below, above].map((rank, side) => {
      const from = MOMENT_COLUMNS + (2 * k + side) * RANK_COLUMNS;
      const [bucket, low, high, before] = record.slice(from, from + RANK_COLUMNS);
      return {
        evaluationKey: Number(evaluation),
        pathKey: Number(path),
        bucket: Number(bucket),
        place: rank - Number(before) + 1,
        low: Number(low),
        high: Number(high),
      };
    });
  });
}

function rankName({ evaluationKey, pathKey, bucket, place }: WantedRank): string {
  return `${evaluationKey}:${pathKey}:${bucket}:${place}`;
}

async function readRanked(
  session: Session,
  plan: Plan,
  scope: ValueScope,
  points: readonly FixedPoint[],
  wanted: readonly WantedRank[],
): Promise<Map<string, number>> {
  if (wanted.length === 0) return new Map();
  const distinct = [...new Map(wanted.map((rank) => [rankName(rank), rank])).values()];
  const found = await session.rows(compileRankedValues(plan, scope, points, distinct));
  return new Map(
    found.map(([evaluation, path, bucket, place, value]) => {
      const rank = {
        evaluationKey: Number(evaluation),
        pathKey: Number(path),
        bucket: Number(bucket),
        place: Number(place),
      };
      return [rankName(rank), Number(value)];
    }),
  );
}
