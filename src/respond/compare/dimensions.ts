import { compareDimensions } from "../../model/text-order.ts";
import { traitsOf } from "../../plan/dimension-traits.ts";
import type { ScorePath } from "../../plan/plan.ts";
import { directionIn, type Direction } from "../../model/direction.ts";
import type { KnownEvaluation, QueryCatalog } from "../../plan/query-catalog.ts";
import type { CompareGroup } from "../../request/parse-compare-request.ts";
import type { NamedPlace } from "../../request/named-places.ts";
import { meaningless } from "../../request/meaningless.ts";
import type { ScoreSum } from "../../plan/results.ts";
import { addCounted, type CountedTrials } from "../../model/counting.ts";
import { fieldText } from "../../model/field-path.ts";
import { didYouMean } from "../../model/nearest.ts";
import { BOOLEAN, NUMBER } from "../../model/score-kind.ts";

/** A dimension that is compared. */
export interface Dimension {
  readonly path: ScorePath;
  /** Kinds of values by evaluation key: numbers where there are some, else booleans; absent where there are neither. */
  readonly kinds: ReadonlyMap<number, number>;
  readonly baselineKind: number | undefined;
  /** Keys of the evaluations whose values are all true or false, or all 0 or 1. */
  readonly rates: ReadonlySet<number>;
  /** Trials without a value of the baseline and a candidate that count as one. */
  readonly counted: (evaluationKey: number) => CountedTrials;
}

/**
 * Chooses the requested dimensions, or all that have values in the baseline and in some candidate; in the order of
 * summaries.
 */
export function chooseDimensions(
  comparing: CompareGroup,
  { evaluations }: QueryCatalog,
  paths: readonly ScorePath[],
  sums: readonly ScoreSum[],
): Dimension[] {
  const { baseline, candidates, scorers, lenient } = comparing;
  const baselineKey = evaluations.get(baseline)?.key ?? 0;
  const keys = new Set(candidates.map((id) => evaluations.get(id)?.key));
  const dimensions = measurablePaths(scorers, paths, sums, lenient).map((path) =>
    dimensionAt(path, baselineKey, sums),
  );
  if (scorers !== null) return judgeDimensions(comparing, dimensions);
  const shared = dimensions.filter(
    ({ kinds, baselineKind }) => baselineKind !== undefined && [...kinds.keys()].some((key) => keys.has(key)),
  );
  return judgeDimensions(comparing, shared);
}

/** The dimensions that are taken as judges: all but that of the labels. Throws `RequestError` where none is left. */
function judgeDimensions(
  { correctedBy }: Pick<CompareGroup, "correctedBy">,
  dimensions: Dimension[],
): Dimension[] {
  if (correctedBy === null) return dimensions;
  const judges = dimensions.filter(
    ({ path }) => dimensionName(path.path) !== dimensionName(correctedBy.path),
  );
  if (judges.length > 0) return judges;
  throw meaningless(
    correctedBy.loc,
    `${JSON.stringify(correctedBy.name)} corrects the scores of a judge, and no other score is compared`,
  );
}

/**
 * The named dimensions of numbers and booleans, or all, in the order of summaries. Throws `RequestError` on a name
 * without such a dimension, unless `lenient`.
 */
export function measurablePaths(
  scorers: readonly NamedPlace[] | null,
  paths: readonly ScorePath[],
  sums: readonly ScoreSum[],
  lenient = false,
): ScorePath[] {
  const present = paths
    .filter(({ key }) => sums.some(({ pathKey }) => pathKey === key))
    .toSorted((a, b) => compareDimensions(a.path, b.path));
  if (!lenient) for (const scorer of scorers ?? []) checkScorer(scorer, present, sums);
  const isWanted = (one: ScorePath) => !traitsOf(one).isScore || isAmong(one.path, scorers ?? []);
  const wanted = scorers === null ? present : present.filter(isWanted);
  return wanted.filter(({ key }) => kindsAt(key, sums).size > 0);
}

/** Kinds of the values of a dimension, by evaluation key: see {@link Dimension}. */
export function kindsAt(pathKey: number, sums: readonly ScoreSum[]): Map<number, number> {
  const kinds = new Map<number, number>();
  for (const sum of sums) {
    if (sum.pathKey !== pathKey || sum.count === 0 || sum.kind > BOOLEAN) continue;
    kinds.set(sum.evaluationKey, sum.kind === NUMBER ? NUMBER : (kinds.get(sum.evaluationKey) ?? BOOLEAN));
  }
  return kinds;
}

/** A dimension as it is compared with a baseline. */
export function dimensionAt(path: ScorePath, baselineKey: number, sums: readonly ScoreSum[]): Dimension {
  const kinds = kindsAt(path.key, sums);
  // A number of steps is none, though each is 0 or 1.
  const rates = traitsOf(path).isScore ? ratesAt(path.key, sums) : new Set<number>();
  const counted = countedWith(path.key, baselineKey, sums);
  return { path, kinds, baselineKind: kinds.get(baselineKey), rates, counted };
}

/** See {@link Dimension.rates}. */
export function ratesAt(pathKey: number, sums: readonly ScoreSum[]): ReadonlySet<number> {
  const kinds = kindsAt(pathKey, sums);
  const rated = new Set(kinds.keys());
  for (const sum of sums)
    if (sum.pathKey === pathKey && sum.kind === NUMBER && sum.zeroOne !== true)
      rated.delete(sum.evaluationKey);
  return rated;
}

/** Whether these evaluations have rates, and not each of them true and false. */
export function areRates(
  { kinds, rates }: Pick<Dimension, "kinds" | "rates">,
  keys: readonly number[],
): boolean {
  const valued = keys.filter((key) => kinds.has(key));
  return valued.every((key) => rates.has(key)) && valued.some((key) => kinds.get(key) === NUMBER);
}

/** See {@link Dimension.counted}. */
function countedWith(pathKey: number, baselineKey: number, sums: readonly ScoreSum[]): Dimension["counted"] {
  const own = sums.filter((sum) => sum.pathKey === pathKey);
  return (key) =>
    addCounted(
      own
        .filter(({ evaluationKey: one }) => one === key || one === baselineKey)
        .map(({ counted }) => counted),
    );
}

function checkScorer(scorer: NamedPlace, paths: readonly ScorePath[], sums: readonly ScoreSum[]): void {
  const matching = paths.filter(({ path }) => isAmong(path, [scorer]));
  if (matching.length === 0) {
    const names = paths.map(({ path }) => dimensionName(path));
    const known = names.slice(0, MOST_NAMED);
    const near = didYouMean(scorer.name, names);
    throw meaningless(
      scorer.loc,
      `no trial has a score ${JSON.stringify(scorer.name)}${near || `; there are ${known.map((name) => JSON.stringify(name)).join(", ")}${paths.length > MOST_NAMED ? ", …" : ""}`}`,
    );
  }
  if (matching.every(({ key }) => kindsAt(key, sums).size === 0))
    throw meaningless(
      scorer.loc,
      `${JSON.stringify(scorer.name)} is text; numbers and booleans are compared`,
    );
}

const MOST_NAMED = 20;

/** Writes the name of a dimension as in a request. */
export function dimensionName(path: readonly string[]): string {
  return path.map((segment) => segment.replaceAll(".", "\\.")).join(".");
}

export function isAmong(path: readonly string[], places: readonly NamedPlace[]): boolean {
  return places.some((place) => place.path.every((segment, i) => path[i] === segment));
}

type AskedSides = Pick<CompareGroup, "lowerIsBetter" | "higherIsBetter"> &
  Partial<Pick<CompareGroup, "lenient">>;

/** Throws `RequestError` on a name in what a request says of directions that matches no compared dimension. */
export function checkSides(
  { lowerIsBetter, higherIsBetter, lenient = false }: AskedSides,
  paths: readonly ScorePath[],
): void {
  for (const place of lenient ? [] : [...lowerIsBetter, ...higherIsBetter]) {
    if (paths.some(({ path }) => isAmong(path, [place]))) continue;
    const near = didYouMean(
      place.name,
      paths.map(({ path }) => fieldText(path)),
    );
    throw meaningless(
      place.loc,
      `${JSON.stringify(place.name)} is none of the scores that are compared${near}`,
    );
  }
}

/**
 * What is said of a dimension: by the request, else by the first of the evaluations that says it, else by what it
 * is.
 */
export function saidDirection(
  one: Pick<ScorePath, "path" | "kind">,
  { lowerIsBetter, higherIsBetter }: AskedSides,
  stored: readonly (Pick<KnownEvaluation, "directions"> | undefined)[],
): Direction {
  if (isAmong(one.path, lowerIsBetter)) return "lower";
  if (isAmong(one.path, higherIsBetter)) return "higher";
  const stated = stored
    .map((known) => directionIn(known?.directions ?? {}, one.path))
    .find((direction) => direction !== null);
  return stated ?? traitsOf(one).better;
}

/** What is said of a dimension where a candidate is compared in it. */
export type Said = (path: ScorePath, candidate: string) => Direction;

export function saidIn(comparing: CompareGroup, { evaluations }: QueryCatalog): Said {
  return (path, candidate) =>
    saidDirection(path, comparing, [evaluations.get(candidate), evaluations.get(comparing.baseline)]);
}
