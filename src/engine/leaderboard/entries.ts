import { addCounted } from "../../model/counting.ts";
import { modelName } from "../../model/references.ts";
import { formatTimestamp } from "../../model/timestamp.ts";
import type { QueryCatalog } from "../../plan/query-catalog.ts";
import { seriesKey } from "../../model/series-key.ts";
import type { ScoreSum, ScoreSums } from "../../plan/results.ts";
import { largestShare, skewNote } from "../../respond/summary/skew.ts";
import { dimensionName } from "../../respond/compare/dimensions.ts";
import type { LeaderboardEntry, LeaderboardScore } from "../../respond/leaderboard/leaderboard.ts";
import { dimensionStats, NO_KEY, outcomesOf, sumsByPath } from "../../respond/summary/summary.ts";
import type { SummarySlices } from "../../respond/summary/slice-stats.ts";
import type { ChosenEvaluation } from "../compare/choose-evaluations.ts";
import type { RankedDimension } from "../../respond/leaderboard/dimensions.ts";
import type { Spending } from "./spending.ts";

/** What was read of the evaluations. */
export interface Facts {
  readonly catalog: QueryCatalog;
  readonly sums: ScoreSums;
  readonly spending: Spending;
  readonly sliced: SummarySlices | null;
}

/** The entry of one evaluation, before it is compared. */
export function describeEntry(
  one: ChosenEvaluation,
  dimensions: readonly RankedDimension[],
  { catalog, sums: counted, spending, sliced }: Facts,
): LeaderboardEntry {
  const key = catalog.evaluations.get(one.id)?.key ?? null;
  const trials = key === null ? 0 : (counted.trialCounts.get(key) ?? 0);
  const sums = sumsByPath(counted.sums, key);
  const errors = counted.rowStatistics?.outcomes?.errored;
  const usage = spending.usage.get(key ?? NO_KEY);
  return {
    evaluation_call_id: one.id,
    display_name: one.displayName,
    model_ref: one.modelRef,
    model: one.modelRef === null ? null : modelName(one.modelRef),
    started_at: one.startedAt === null ? null : formatTimestamp(one.startedAt),
    evaluation_count: one.among,
    row_count: usage?.rows ?? 0,
    trial_count: trials,
    error_count: key === null ? 0 : (errors?.get(seriesKey({ evaluationKey: key, pathKey: 0 })) ?? 0),
    scores: dimensions.map((dimension) => ({
      ...scoreOf(dimension, key, sums, counted, trials),
      ...slicesOf(dimension, key, sliced),
    })),
    standing: null,
    rank_interval: null,
    tier: null,
    against_best: null,
    latency: usage?.latency ?? { p50_seconds: null, trial_count: 0 },
    tokens: usage?.tokens ?? { total: null, trial_count: 0 },
    cost: spending.costOf(key ?? NO_KEY),
  };
}

function slicesOf(
  { path }: RankedDimension,
  evaluationKey: number | null,
  sliced: SummarySlices | null,
): Pick<LeaderboardScore, "slices"> {
  if (sliced === null) return {};
  const place = { evaluationKey: evaluationKey ?? NO_KEY, pathKey: path.key };
  return { slices: sliced.slices.get(seriesKey(place)) ?? sliced.none };
}

/** Names means whose interval one row alone decides. */
export function skewWarnings(
  evaluations: readonly ChosenEvaluation[],
  dimensions: readonly RankedDimension[],
  { catalog, sums: counted }: Facts,
): string[] {
  return evaluations.flatMap(({ id }) => {
    const key = catalog.evaluations.get(id)?.key ?? null;
    const sums = sumsByPath(counted.sums, key);
    return dimensions.flatMap(({ path }) => {
      const own = sums.get(path.key);
      if (key === null || own === undefined) return [];
      const stats = dimensionStats(path, key, own, counted.rowStatistics, 0);
      const share = largestShare(stats);
      if (share === null) return [];
      return [`${JSON.stringify(id)}, ${skewNote(dimensionName(path.path), share, stats)}`];
    });
  });
}

export const NO_SCORE: LeaderboardScore = {
  row_mean: null,
  scored_row_count: 0,
  standard_error: null,
  confidence_interval: null,
  interval_method: null,
  pass_rate: null,
  pass_true_count: 0,
  pass_known_count: 0,
  trial_count: 0,
  missing_count: 0,
  null_count: 0,
  error_count: 0,
};

function scoreOf(
  { path }: RankedDimension,
  key: number | null,
  sums: ReadonlyMap<number, readonly ScoreSum[]>,
  { rowStatistics, sums: all }: ScoreSums,
  trials: number,
): LeaderboardScore {
  const outcomes = rowStatistics?.outcomes ?? null;
  const none = Object.fromEntries(
    Object.keys(addCounted(all.map(({ counted }) => counted))).map((told) => [told, 0]),
  );
  if (key === null || outcomes === null) return { ...NO_SCORE, ...none };
  const own = sums.get(path.key);
  if (own === undefined) {
    const { expected_trial_count: _expected, ...counts } = outcomesOf(outcomes, key, path, 0, trials);
    return { ...NO_SCORE, ...counts, ...none };
  }
  const stats = dimensionStats(path, key, own, rowStatistics, trials);
  return {
    row_mean: stats.row_mean ?? null,
    scored_row_count: stats.scored_row_count ?? 0,
    standard_error: stats.standard_error ?? null,
    confidence_interval: stats.confidence_interval ?? null,
    interval_method: stats.interval_method ?? null,
    pass_rate: stats.pass_rate,
    pass_true_count: stats.pass_true_count,
    pass_known_count: stats.pass_known_count,
    trial_count: stats.trial_count,
    missing_count: stats.missing_count ?? 0,
    null_count: stats.null_count ?? 0,
    error_count: stats.error_count ?? 0,
    ...addCounted(own.map(({ counted }) => counted)),
  };
}
