import {
  compileBaselineValues,
  compileClusteredPairs,
  compilePairs,
  compilePresence,
  type PairScope,
} from "../../compile/compare/row-pairs.ts";
import type { Narrowing } from "../../compile/rows/selected-rows.ts";
import type { Session } from "../../store/session.ts";
import type { Sql, SqlValue } from "../../store/sql.ts";
import type { Plan } from "../../plan/plan.ts";
import type { QueryCatalog } from "../../plan/query-catalog.ts";
import type { Comparing } from "../../request/compare-request.ts";
import type { ClusterSums, PairSums } from "../../respond/compare/pair-sums.ts";
import { placeOf } from "../../plan/results.ts";
import { sumOfSquares } from "../../respond/summary/exact-moments.ts";
import type { Dimension } from "./dimensions.ts";
import { choosePlaces, shiftOf } from "./scales.ts";

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
  const places = await choosePlaces(session, plan, narrowing, trialsARow, dimensions);
  const scope: PairScope = { places, trialsARow, narrowing };
  const ask = (compile: (part: PairScope) => Sql) => askInParts(session, scope, compile);
  const present = await session.rows(compilePresence(plan, narrowing));
  const baselineValues = groupByPath(
    await askInParts(session, onePlaceAPath(scope), (part) => compileBaselineValues(plan, part)),
  );
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
      return countOf((baselineValues.get(pathKey) ?? []).filter(([, mask]) => has(mask, bit)));
    },
    presence: (evaluationKey) => presenceOf(plan, present, evaluationKey),
  };
}

function groupByPath(records: readonly (readonly SqlValue[])[]): Map<number, (readonly SqlValue[])[]> {
  const paths = new Map<number, (readonly SqlValue[])[]>();
  for (const record of records) {
    const list = paths.get(Number(record[0]));
    if (list === undefined) paths.set(Number(record[0]), [record]);
    else list.push(record);
  }
  return paths;
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
  const bit = bitOf(plan, evaluationKey);
  return {
    both: countOf(records.filter(([, mask]) => has(mask, 0) && has(mask, bit))),
    onlyBaseline: countOf(records.filter(([, mask]) => has(mask, 0) && !has(mask, bit))),
    onlyCandidate: countOf(records.filter(([, mask]) => !has(mask, 0) && has(mask, bit))),
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
