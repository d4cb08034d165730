import {
  compileBaselineValues,
  compileClusteredPairs,
  compilePairs,
  compilePresence,
  type PairScope,
  type PairWords,
  type PresentRows,
  type ValuedRows,
} from "../../compile/compare/row-pairs.ts";
import type { Narrowing } from "../../compile/rows/selected-rows.ts";
import type { Session } from "../../store/session.ts";
import type { Query } from "../../store/query.ts";
import type { Plan } from "../../plan/plan.ts";
import type { QueryCatalog } from "../../plan/query-catalog.ts";
import type { Comparing } from "../../request/compare-request.ts";
import type { ClusterSums, PairSums } from "../../respond/compare/pair-sums.ts";
import { seriesKey } from "../../plan/results.ts";
import type { Dimension } from "./dimensions.ts";
import { pairDimensions, shiftOf } from "./scales.ts";

/** Sums and counts that SQL computes over pairs of rows. */
export interface PairsByPlace {
  readonly sums: (evaluationKey: number, pathKey: number) => PairSums | null;
  /** Rows with trials on both sides and a value of the candidate. */
  readonly candidateValues: (evaluationKey: number, pathKey: number) => number;
  /** Rows with trials on both sides and a value of the baseline. */
  readonly baselineValues: (evaluationKey: number, pathKey: number) => number;
  readonly presence: (evaluationKey: number) => Presence;
}

/** Numbers of rows with trials. */
interface Presence {
  readonly both: number;
  readonly onlyBaseline: number;
  readonly onlyCandidate: number;
}

export async function readPairs(
  session: Session,
  plan: Plan,
  narrowing: Narrowing,
  { trialsPerRow }: QueryCatalog,
  { clusterBy }: Pick<Comparing, "clusterBy">,
  dimensions: readonly Dimension[],
): Promise<PairsByPlace> {
  const places = await pairDimensions(session, plan, narrowing, trialsPerRow, dimensions);
  const scope: PairScope = { places, trialsPerRow, narrowing };
  const present = await session.all(compilePresence(plan, narrowing));
  const baselineValues = groupByPath(
    await askInParts(session, onePlaceAPath(scope), (part) => compileBaselineValues(plan, part)),
  );
  const pairs = await askInParts(session, scope, (part) => compilePairs(plan, part));
  const clustered =
    clusterBy === null
      ? []
      : await askInParts(session, scope, (part) => compileClusteredPairs(plan, part, clusterBy));
  const clusters = new Map(clustered.map((one) => [seriesKey(one), one]));
  const sums = new Map(
    pairs.map((one) => {
      const place = seriesKey(one);
      return [place, pairSums(one, shiftOf(places, one), clusters.get(place) ?? null)] as const;
    }),
  );
  const valued = new Map(pairs.map((one) => [seriesKey(one), one.candidateRows]));
  return {
    sums: (evaluationKey, pathKey) => sums.get(seriesKey({ evaluationKey, pathKey })) ?? null,
    candidateValues: (evaluationKey, pathKey) => valued.get(seriesKey({ evaluationKey, pathKey })) ?? 0,
    baselineValues: (evaluationKey, pathKey) => {
      const bit = bitOf(plan, evaluationKey);
      return rowsWhere(baselineValues.get(pathKey) ?? [], (mask) => has(mask, bit));
    },
    presence: (evaluationKey) => presenceOf(plan, present, evaluationKey),
  };
}

function groupByPath(counts: readonly ValuedRows[]): Map<number, ValuedRows[]> {
  const paths = new Map<number, ValuedRows[]>();
  for (const one of counts) {
    const list = paths.get(one.pathKey);
    if (list === undefined) paths.set(one.pathKey, [one]);
    else list.push(one);
  }
  return paths;
}

/** Keeps one pairing per dimension, since all pairings of a dimension read the baseline's values alike. */
function onePlaceAPath(scope: PairScope): PairScope {
  return { ...scope, places: [...new Map(scope.places.map((place) => [place.pathKey, place])).values()] };
}

/** Most pairings in one statement; DuckDB takes long to plan statements with more. */
const PLACES_AT_A_TIME = 8;

async function askInParts<Row>(
  session: Session,
  scope: PairScope,
  compile: (part: PairScope) => Query<Row>,
): Promise<Row[]> {
  const found: Row[] = [];
  for (let i = 0; i < scope.places.length; i += PLACES_AT_A_TIME) {
    const part = { ...scope, places: scope.places.slice(i, i + PLACES_AT_A_TIME) };
    found.push(...(await session.all(compile(part))));
  }
  return found;
}

function pairSums(words: PairWords, shift: number, clusters: ClusterSums | null): PairSums | null {
  const { n, difference, baseline, squares, higher, lower, size } = words;
  if (n === 0) return null;
  const least = words.least ?? 0n;
  const most = words.most ?? 0n;
  const rounding = ROUNDING * Number(size ?? 0n);
  return {
    differences: { n, sum: difference, squares, unit: 1n, shift },
    baseline,
    candidate: baseline + difference,
    higher,
    lower,
    equal: size === null ? BigInt(n) * squares === difference * difference : Number(most - least) <= rounding,
    unmoved:
      size === null ? squares === 0n : Math.max(Math.abs(Number(least)), Math.abs(Number(most))) <= rounding,
    single: (words.trials ?? 0) <= 1,
    clusters,
  };
}

/** Differences are equal if they lie no further apart than the rounding of doubles of that size (.8 - .7, .9 - .8). */
const ROUNDING = 4 * Number.EPSILON;

function presenceOf(plan: Plan, counts: readonly PresentRows[], evaluationKey: number): Presence {
  const bit = bitOf(plan, evaluationKey);
  return {
    both: rowsWhere(counts, (mask) => has(mask, 0) && has(mask, bit)),
    onlyBaseline: rowsWhere(counts, (mask) => has(mask, 0) && !has(mask, bit)),
    onlyCandidate: rowsWhere(counts, (mask) => !has(mask, 0) && has(mask, bit)),
  };
}

function bitOf(plan: Plan, evaluationKey: number): number {
  return plan.evaluationKeys.indexOf(evaluationKey);
}

function has(mask: bigint, bit: number): boolean {
  return (mask >> BigInt(bit)) % 2n === 1n;
}

function rowsWhere(counts: readonly PresentRows[], isMeant: (mask: bigint) => boolean): number {
  return counts.reduce((sum, { present, rows }) => (isMeant(present) ? sum + rows : sum), 0);
}
