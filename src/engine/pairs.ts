import {
  compileBaselineValues,
  compileClusteredPairs,
  compilePairs,
  compilePresence,
  type PairedPlace,
  type PairScope,
} from "../compile/row-pairs.ts";
import {
  countablePoints,
  fixedPoints,
  isCountable,
  shiftAt,
  type FixedPoint,
  type ValuePlace,
} from "../compile/row-values.ts";
import type { Narrowing } from "../compile/selected-rows.ts";
import type { Session } from "../model/session.ts";
import type { Sql, SqlValue } from "../model/sql.ts";
import type { Magnitude, Plan, ScorePath } from "../plan/plan.ts";
import type { QueryCatalog } from "../plan/query-catalog.ts";
import type { Comparing } from "../request/compare-request.ts";
import type { ClusterSums, PairSums } from "../respond/pair-sums.ts";
import { placeOf } from "../respond/summary.ts";
import { sumOfSquares } from "../respond/exact-moments.ts";
import type { Dimension } from "./compared-dimensions.ts";
import { readMagnitudes } from "./measured-samples.ts";
import { isUnit } from "./value-reader.ts";

/** What SQL sums over pairs of rows. */
export interface PairsByPlace {
  readonly sums: (evaluationKey: number, pathKey: number) => PairSums | null;
  /** Rows that both have trials of, with a value of the candidate, or of the baseline. */
  readonly candidateValues: (evaluationKey: number, pathKey: number) => number;
  readonly baselineValues: (evaluationKey: number, pathKey: number) => number;
  readonly presence: (evaluationKey: number) => Presence;
}

/** Rows with trials. */
export interface Presence {
  readonly both: number;
  readonly onlyBaseline: number;
  readonly onlyCandidate: number;
}

export async function readPairs(
  session: Session,
  plan: Plan,
  narrowing: Narrowing,
  { trialsARow }: QueryCatalog,
  comparing: Comparing,
  dimensions: readonly Dimension[],
): Promise<PairsByPlace> {
  const [baseline = 0] = plan.evaluationKeys;
  const readable = dimensions.filter(
    ({ kinds, baselineKind }) => baselineKind !== undefined && kinds.size > 1,
  );
  const values = readable.flatMap(({ path, kinds }) => valuePlaces(path, kinds));
  const most = Math.max(1, ...trialsARow.values());
  const magnitudes = await readMagnitudes(
    session,
    plan,
    { places: values, trialsARow: most, narrowing },
    readable.map(({ path }) => path),
  );
  const isSingle = (place: ValuePlace) => (trialsARow.get(place.evaluationKey) ?? 1) <= 1;
  const places = readable.flatMap(({ path, kinds }) => {
    const all = valuePlaces(path, kinds);
    const own = all.find(({ evaluationKey }) => evaluationKey === baseline);
    if (own === undefined) return [];
    const few = isSingle(own) && (isUnit(path) || isCountable(path));
    const others = all.filter((one) => one !== own);
    return [
      ...countedPlaces(path, own, few ? others.filter(isSingle) : []),
      ...measuredPlaces(path, own, few ? others.filter((one) => !isSingle(one)) : others, magnitudes, most),
    ];
  });
  const scope: PairScope = { places, trialsARow, narrowing };
  const ask = (compile: (part: PairScope) => Sql) => askInParts(session, scope, compile);
  const present = [
    ...(await session.rows(compilePresence(plan, narrowing))),
    ...(await askInParts(session, onePlaceAPath(scope), (part) => compileBaselineValues(plan, part))),
  ];
  const pairs = await ask((part) => compilePairs(plan, part));
  const { clusterBy } = comparing;
  const clustered =
    clusterBy === null ? [] : await ask((part) => compileClusteredPairs(plan, part, clusterBy));
  const clusters = new Map(clustered.map((record) => [keyOf(record[0], record[1]), clusterSums(record)]));
  const sums = new Map(
    pairs.map((record) => {
      const key = keyOf(record[0], record[1]);
      return [key, pairSums(record, shiftOf(places, record), clusters.get(key) ?? null)] as const;
    }),
  );
  const valued = new Map(pairs.map((record) => [keyOf(record[0], record[1]), Number(record.at(-1))]));
  return {
    sums: (evaluationKey, pathKey) => sums.get(placeOf({ evaluationKey, pathKey })) ?? null,
    candidateValues: (evaluationKey, pathKey) => valued.get(placeOf({ evaluationKey, pathKey })) ?? 0,
    baselineValues: (evaluationKey, pathKey) => {
      const bit = bitOf(plan, evaluationKey);
      const at = present.filter(
        ([path, mask]) => path !== null && Number(path) === pathKey && has(mask, bit),
      );
      return countOf(at);
    },
    presence: (evaluationKey) => presenceOf(plan, present, evaluationKey),
  };
}

function valuePlaces(path: ScorePath, kinds: ReadonlyMap<number, number>): ValuePlace[] {
  return [...kinds].map(([evaluationKey, kind]) => ({ evaluationKey, pathKey: path.key, kind }));
}

/** Few distinct words: exact, and small. */
function countedPlaces(path: ScorePath, own: ValuePlace, others: readonly ValuePlace[]): PairedPlace[] {
  const [point] = countablePoints([path]);
  if (others.length === 0 || point === undefined) return [];
  return [{ pathKey: path.key, baseline: own, candidates: others, small: true, point }];
}

/** Where magnitudes differ much, each candidate has a place and a shift of its own. */
function measuredPlaces(
  path: ScorePath,
  own: ValuePlace,
  others: readonly ValuePlace[],
  magnitudes: readonly Magnitude[],
  most: number,
): PairedPlace[] {
  if (others.length === 0) return [];
  // A difference has one bit more than its terms.
  const points = fixedPoints([path], magnitudes, 2 * most);
  const shared = points.find(({ evaluationKey }) => evaluationKey === null);
  const place = (candidates: readonly ValuePlace[], point: FixedPoint) => ({
    pathKey: path.key,
    baseline: own,
    candidates,
    small: false,
    point,
  });
  if (shared !== undefined) return [place(others, shared)];
  return others.map((other) => {
    const shifts = [own, other].map(({ evaluationKey }) => shiftAt(points, evaluationKey, path.key));
    return place([other], { evaluationKey: null, pathKey: path.key, shift: Math.min(...shifts) });
  });
}

function shiftOf(places: readonly PairedPlace[], [evaluation, path]: readonly SqlValue[]): number {
  const found = places.find(
    ({ pathKey, candidates }) =>
      pathKey === Number(path) &&
      candidates.some(({ evaluationKey }) => evaluationKey === Number(evaluation)),
  );
  return found?.point.shift ?? 0;
}

/** What the baseline's values are read by, which all places of a path have in common. */
function onePlaceAPath(scope: PairScope): PairScope {
  return { ...scope, places: [...new Map(scope.places.map((place) => [place.pathKey, place])).values()] };
}

/** Statements of more places take long to plan. */
const PLACES_AT_A_TIME = 8;

async function askInParts(
  session: Session,
  scope: PairScope,
  compile: (part: PairScope) => Sql,
): Promise<(readonly SqlValue[])[]> {
  const records: (readonly SqlValue[])[] = [];
  for (let i = 0; i < scope.places.length; i += PLACES_AT_A_TIME) {
    const part = { ...scope, places: scope.places.slice(i, i + PLACES_AT_A_TIME) };
    records.push(...(await session.rows(compile(part))));
  }
  return records;
}

function keyOf(evaluation: SqlValue | undefined, path: SqlValue | undefined): string {
  return placeOf({ evaluationKey: Number(evaluation), pathKey: Number(path) });
}

function whole(value: SqlValue | undefined): bigint {
  return typeof value === "bigint" ? value : BigInt(Number(value ?? 0));
}

function pairSums(record: readonly SqlValue[], shift: number, clusters: ClusterSums | null): PairSums | null {
  const [, , n, d, b, hh, hl, ll, higher, lower, least, most, size, trials] = record;
  if (Number(n) === 0) return null;
  const difference = whole(d);
  const baseline = whole(b);
  const squares = sumOfSquares(whole(hh), whole(hl), whole(ll));
  const rounding = ROUNDING * Number(size ?? 0);
  return {
    differences: { n: Number(n), sum: difference, squares, unit: 1n, shift },
    baseline,
    candidate: baseline + difference,
    higher: Number(higher),
    lower: Number(lower),
    equal:
      size === null
        ? BigInt(Number(n)) * squares === difference * difference
        : Number(whole(most) - whole(least)) <= rounding,
    unmoved:
      size === null ? squares === 0n : Math.max(Math.abs(Number(least)), Math.abs(Number(most))) <= rounding,
    single: Number(trials) <= 1,
    clusters,
  };
}

/** Differences that lie apart by no more than the rounding of doubles so large (.8 - .7, .9 - .8) are equal. */
const ROUNDING = 4 * Number.EPSILON;

function clusterSums(record: readonly SqlValue[]): ClusterSums {
  const [, , count, largest, mm, ms, hh, hl, ll] = record;
  return {
    count: Number(count),
    largest: Number(largest),
    mm: whole(mm),
    ms: whole(ms),
    ss: (whole(hh) << 80n) + (whole(hl) << 41n) + whole(ll),
  };
}

function presenceOf(plan: Plan, records: readonly (readonly SqlValue[])[], evaluationKey: number): Presence {
  const rows = records.filter(([path]) => path === null);
  const bit = bitOf(plan, evaluationKey);
  return {
    both: countOf(rows.filter(([, mask]) => has(mask, 0) && has(mask, bit))),
    onlyBaseline: countOf(rows.filter(([, mask]) => has(mask, 0) && !has(mask, bit))),
    onlyCandidate: countOf(rows.filter(([, mask]) => !has(mask, 0) && has(mask, bit))),
  };
}

function bitOf(plan: Plan, evaluationKey: number): number {
  return plan.evaluationKeys.indexOf(evaluationKey);
}

function has(mask: SqlValue | undefined, bit: number): boolean {
  return (whole(mask) >> BigInt(bit)) % 2n === 1n;
}

function countOf(records: readonly (readonly SqlValue[])[]): number {
  return records.reduce((sum, [, , n]) => sum + Number(n), 0);
}
