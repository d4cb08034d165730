import { fieldText, scorePlace } from "../../model/field-path.ts";
import { didYouMean } from "../../model/nearest.ts";
import { NUMBER } from "../../model/score-kind.ts";
import { traitsOf, unitOf } from "../../plan/dimension-traits.ts";
import type { Plan, ScorePath } from "../../plan/plan.ts";
import type { KnownEvaluation, QueryCatalog } from "../../plan/query-catalog.ts";
import type { ScoreSum } from "../../plan/results.ts";
import type { NamedPlace } from "../../request/named-places.ts";
import type { Ranking } from "../../request/leaderboard-request.ts";
import { meaningless } from "../../request/meaningless.ts";
import type { LeaderboardDimension, LeaderboardEntry } from "./leaderboard.ts";
import type { PlacedKey } from "./order.ts";
import {
  areRates,
  isAmong,
  kindsAt,
  checkSides,
  measurablePaths,
  ratesAt,
  saidDirection,
} from "../compare/dimensions.ts";

/** A dimension of a leaderboard, and where its values are. */
export interface RankedDimension {
  readonly path: ScorePath;
  readonly shown: LeaderboardDimension;
}

/**
 * The requested dimensions and those that the entries are ordered by, or all. Throws `RequestError` on an unknown name.
 */
export function rankedDimensions(
  ranking: Ranking,
  plan: Plan | null,
  { evaluations }: Pick<QueryCatalog, "evaluations">,
  sums: readonly ScoreSum[],
): RankedDimension[] {
  const { scorers, sortBy } = ranking;
  if (plan?.summary == null) return [];
  const latestFirst = [...evaluations.values()].toSorted((a, b) => startOf(b) - startOf(a));
  const sorted = sortBy.flatMap(({ dimension }) => dimension ?? []);
  const named = scorers === null ? null : [...scorers, ...sorted];
  const paths = measurablePaths(named, plan.summary.scorePaths, sums);
  checkSides(ranking, paths);
  return paths.map((path) => {
    const kinds = kindsAt(path.key, sums);
    const numbers = [...kinds.values()].includes(NUMBER);
    const rate = areRates({ kinds, rates: ratesAt(path.key, sums) }, [...kinds.keys()]);
    const direction = saidDirection(path, ranking, latestFirst) ?? (rate || !numbers ? "higher" : null);
    return {
      path,
      shown: {
        ...scorePlace(path.path),
        value_type: numbers ? "continuous" : "binary",
        ...(rate ? { rate: true as const } : {}),
        lower_is_better: direction === "lower",
        direction,
        ...unitOf(path),
      },
    };
  });
}

function startOf({ startedAt }: KnownEvaluation): number {
  return Number(startedAt ?? 0n);
}

/**
 * The index of the headline score: see `LeaderboardRequest.scorers`; null without scores. Costs are one only where they
 * are named.
 */
export function chooseHeadline(
  { scorers }: Ranking,
  dimensions: readonly RankedDimension[],
  entries: readonly LeaderboardEntry[],
): number | null {
  if (dimensions.length === 0) return null;
  const [first] = scorers ?? [];
  if (first !== undefined) return indexOf(first, dimensions);
  const differing = dimensions.findIndex(({ path }, i) => {
    if (!traitsOf(path).isScore) return false;
    const means = entries.map(({ scores }) => scores[i]?.row_mean ?? null).filter((mean) => mean !== null);
    return new Set(means).size > 1;
  });
  return differing === -1 ? indexOfScore(dimensions) : differing;
}

/** The index of the headline score of a history; see `HistoryAnswer.headline`. `latest` is the latest entry. */
export function directedHeadline(
  ranking: Ranking,
  score: NamedPlace | null,
  dimensions: readonly RankedDimension[],
  latest: LeaderboardEntry | undefined,
): number | null {
  if (dimensions.length === 0) return null;
  const [first] = ranking.scorers ?? [];
  const named = score ?? first;
  if (named !== undefined) return indexOf(named, dimensions);
  const hasValue = (i: number) => latest?.scores[i]?.row_mean != null;
  const isScore = ({ path }: RankedDimension, i: number) => traitsOf(path).isScore && hasValue(i);
  const directed = dimensions.findIndex((one, i) => isScore(one, i) && one.shown.direction !== null);
  const valued = directed === -1 ? dimensions.findIndex(isScore) : directed;
  return valued === -1 ? indexOfScore(dimensions) : valued;
}

/** The first dimension, costs only where there is no other. */
function indexOfScore(dimensions: readonly RankedDimension[]): number {
  return Math.max(
    0,
    dimensions.findIndex(({ path }) => traitsOf(path).isScore),
  );
}

/** The keys of the order with the dimensions that they read. Throws `RequestError` on a dimension that there is not. */
export function sortKeys(
  { sortBy }: Ranking,
  dimensions: readonly RankedDimension[],
  headline: number | null,
): PlacedKey[] {
  return sortBy.map((key) => {
    if (key.dimension === null) return { key, dimension: key.field === "pass_rate" ? headline : null };
    const dimension = indexOf(key.dimension, dimensions);
    if (dimension === null) {
      const near = didYouMean(
        key.dimension.name,
        dimensions.map(({ path }) => fieldText(path.path)),
      );
      throw meaningless(
        key.dimension.loc,
        `no trial has a score ${JSON.stringify(key.dimension.name)}${near}`,
      );
    }
    return { key, dimension };
  });
}

function indexOf(place: NamedPlace, dimensions: readonly RankedDimension[]): number | null {
  const index = dimensions.findIndex(({ path }) => isAmong(path.path, [place]));
  return index === -1 ? null : index;
}
