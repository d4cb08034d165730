import { grouped } from "../../model/grouped.ts";
import { compileBaselineValues, compilePresence, type PresentRows } from "../../compile/compare/datasets.ts";
import {
  compileClusteredPairs,
  compileMovedRows,
  compileOwnSums,
  compilePairs,
  type PairedDimension,
  type PairPlace,
  type PairScope,
  type PairWords,
} from "../../compile/compare/row-pairs.ts";
import type { FixedPoint } from "../../compile/sums/fixed-point.ts";
import type { Narrowing } from "../../compile/rows/selected-rows.ts";
import type { Session } from "../../store/session.ts";
import type { Query } from "../../store/query.ts";
import type { Plan } from "../../plan/plan.ts";
import type { QueryCatalog } from "../../plan/query-catalog.ts";
import type { PairSums } from "../../respond/compare/pair-sums.ts";
import { exactAverage, scaleByPower } from "../../respond/summary/exact-moments.ts";
import { seriesKey } from "../../model/series-key.ts";
import type { ClusterWords } from "../../plan/results.ts";
import type { Dimension } from "../../respond/compare/dimensions.ts";
import { type EditedRows, NO_EDITED_ROWS, readEditedRows } from "./edited-rows.ts";
import { pairDimensions, placeOf } from "./scales.ts";

/** Sums and counts that SQL computes over pairs of rows. */
export interface PairsByPlace {
  readonly sums: (evaluationKey: number, pathKey: number) => PairSums | null;
  /** Rows with trials on both sides and a value of the candidate. */
  readonly candidateValues: (evaluationKey: number, pathKey: number) => number;
  /** Rows with trials on both sides and a value of the baseline. */
  readonly baselineValues: (evaluationKey: number, pathKey: number) => number;
  readonly presence: (evaluationKey: number) => Presence;
  /** Whether they are those of several tasks. */
  readonly pooled?: boolean;
}

/** Numbers of rows with trials. */
interface Presence {
  readonly both: number;
  readonly onlyBaseline: number;
  readonly onlyCandidate: number;
  /** Those of both that were edited, whether or not they are left out. */
  readonly edited: EditedRows;
}

export async function readPairs(
  session: Session,
  plan: Plan,
  narrowing: Narrowing,
  { trialsPerRow }: QueryCatalog,
  clusterBy: string | null,
  dimensions: readonly Dimension[],
): Promise<PairsByPlace> {
  const places = await pairDimensions(session, { plan, narrowing, trialsPerRow }, dimensions);
  const scope: PairScope = { places, trialsPerRow, narrowing, slices: null };
  const present = await session.all(compilePresence(plan, narrowing));
  const baselineRows = await askInParts(session, onePlaceAPath(scope), (part) =>
    compileBaselineValues(plan, part),
  );
  const baselineValues = grouped(baselineRows, ({ pathKey }) => pathKey);
  const pairs = await readPairSums(session, plan, scope, clusterBy);
  const edited = await readEditedRows(session, plan, narrowing);
  const found = new Map(pairs.map((one) => [seriesKey(one), one]));
  const at = (evaluationKey: number, pathKey: number) => found.get(seriesKey({ evaluationKey, pathKey }));
  return {
    sums: (evaluationKey, pathKey) => at(evaluationKey, pathKey)?.sums ?? null,
    candidateValues: (evaluationKey, pathKey) => at(evaluationKey, pathKey)?.candidateRows ?? 0,
    baselineValues: (evaluationKey, pathKey) => {
      const bit = bitOf(plan, evaluationKey);
      return rowsWhere(baselineValues.get(pathKey) ?? [], (mask) => has(mask, bit));
    },
    presence: (evaluationKey) => ({
      ...presenceOf(plan, present, evaluationKey),
      edited: edited.get(evaluationKey) ?? NO_EDITED_ROWS,
    }),
  };
}

/** The sums of a pair of evaluations in one dimension. */
export interface FoundPair extends PairPlace {
  /** Rows with a value in the candidate and a trial in the baseline. */
  readonly candidateRows: number;
  /** null without a row that has a value in both. */
  readonly sums: PairSums | null;
}

/** Reads the sums of all pairs of a scope. */
export async function readPairSums(
  session: Session,
  plan: Plan,
  scope: PairScope,
  clusterBy: string | null,
): Promise<FoundPair[]> {
  const pairs = await askInParts(session, scope, (part) => compilePairs(plan, part));
  const clustered =
    clusterBy === null
      ? []
      : await askInParts(session, scope, (part) => compileClusteredPairs(plan, part, clusterBy));
  const clusters = grouped(clustered, pairKey);
  const found: FoundPair[] = [];
  for (const words of pairs) {
    const place = placeOf(scope.places, words);
    if (place === undefined) continue;
    const moved = await readMoved(session, plan, scope, place, words);
    const means = await readOwnMeans(session, plan, scope, place, words);
    const own = clusterBy === null ? null : (clusters.get(pairKey(words)) ?? []);
    const sums = words.n === 0 ? null : pairSums({ ...words, ...moved }, place.point.shift, means, own);
    found.push({ ...words, sums });
  }
  return found;
}

function pairKey(pair: PairPlace): string {
  return `${pair.baselineKey}:${seriesKey(pair)}:${pair.slice ?? ""}`;
}

interface OwnMeans {
  readonly baseline: number;
  readonly candidate: number;
}

/** The means of two sides of which one has far smaller numbers; null where the sums of the pair tell them as well. */
async function readOwnMeans(
  session: Session,
  plan: Plan,
  scope: PairScope,
  place: PairedDimension,
  { n, slice }: PairWords,
): Promise<OwnMeans | null> {
  const { own, baseline } = place;
  if (own === null || baseline === null || n === 0) return null;
  const found = await session.all(compileOwnSums(plan, scope, { ...place, baseline }, own));
  const sums = found.find((one) => one.slice === slice);
  if (sums === undefined) return null;
  const mean = (sum: bigint, { shift }: FixedPoint) => exactAverage({ n, sum, squares: 0n, unit: 1n, shift });
  return {
    baseline: mean(sums.baseline, own.baseline),
    candidate: mean(sums.candidate, own.candidate),
  };
}

/** Rows that moved by no more than rounding did not move; few pairs have any. */
async function readMoved(
  session: Session,
  plan: Plan,
  scope: PairScope,
  place: PairedDimension,
  words: PairWords,
): Promise<Pick<PairWords, "higher" | "lower">> {
  const rounding = roundingOf(words);
  if (words.nearest === null || Number(words.nearest) > rounding) return words;
  const counts = await session.all(compileMovedRows(plan, scope, place, rounding));
  return counts.find((one) => pairKey(one) === pairKey(words)) ?? words;
}

/** Differences are equal if they lie no further apart than the rounding of doubles of that size (.8 - .7, .9 - .8). */
function roundingOf({ size }: PairWords): number {
  return 4 * Number.EPSILON * Number(size ?? 0n);
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

function pairSums(
  words: PairWords,
  shift: number,
  means: OwnMeans | null,
  clusters: readonly ClusterWords[] | null,
): PairSums {
  const { n, difference, baseline, squares, higher, lower, size } = words;
  const differences = { n, sum: difference, squares, unit: 1n, shift };
  const rounding = roundingOf(words);
  const spread = Number((words.most ?? 0n) - (words.least ?? 0n));
  return {
    differences,
    baselineMean: means?.baseline ?? exactAverage({ ...differences, sum: baseline }),
    candidateMean: means?.candidate ?? exactAverage({ ...differences, sum: baseline + difference }),
    least: scaleByPower(Number(words.least ?? 0n), -shift),
    most: scaleByPower(Number(words.most ?? 0n), -shift),
    higher,
    lower,
    rounding,
    equal: size === null ? BigInt(n) * squares === difference * difference : spread <= rounding,
    single: (words.trials ?? 0) <= 1,
    clusters,
  };
}

function presenceOf(
  plan: Plan,
  counts: readonly PresentRows[],
  evaluationKey: number,
): Omit<Presence, "edited"> {
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
