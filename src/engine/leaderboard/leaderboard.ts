import { traitsOf } from "../../plan/dimension-traits.ts";
import { withLongTexts } from "../catalog/long-texts.ts";
import { buildPlan, requestWarnings } from "../../plan/build-plan.ts";
import type { Plan } from "../../plan/plan.ts";
import { seriesKey } from "../../model/series-key.ts";
import { parseLeaderboardRequest, rankingWithIds, type Ranking } from "../../request/leaderboard-request.ts";
import type { LeaderboardAnswer, LeaderboardEntry } from "../../respond/leaderboard/leaderboard.ts";
import { NO_KEY } from "../../respond/summary/summary.ts";
import { orderByMean, orderEntries } from "../../respond/leaderboard/order.ts";
import type { Session } from "../../store/session.ts";
import { refuseUnknown } from "../../request/resolve-names.ts";
import { labelled, labelledAnswer, nameEvaluations } from "../catalog/named-request.ts";
import { readQueryCatalog } from "../catalog/read-catalog.ts";
import type { QueryContext } from "../base/context.ts";
import { checkQuery } from "../../flow/check-options.ts";
import type { QueryOptions } from "../query/query.ts";
import { readSums } from "../query/sums.ts";
import { chooseSummarySlices, readSummarySlices } from "../slices/summary-slices.ts";
import { readErrorNotes } from "../statistics/failed-trials.ts";
import { CONFIDENCE, rankHeadline } from "./against-best.ts";
import { chooseEvaluations, type ChosenEvaluation, type ModelTasks } from "../compare/choose-evaluations.ts";
import { poolTasks } from "../compare/task-pool.ts";
import {
  chooseHeadline,
  rankedDimensions,
  sortKeys,
  type RankedDimension,
} from "../../respond/leaderboard/dimensions.ts";
import { describeEntry, skewWarnings, type Facts } from "./entries.ts";
import { describeTasks, poolEntry, taskWarnings } from "./pool-entries.ts";
import { NO_SPENDING, readLatencies, readSpending } from "./spending.ts";

/** Puts the evaluations of a project in order. Throws `RequestError` on an unknown evaluation, scorer or field. */
export async function rankEvaluations(
  context: QueryContext,
  projectId: string,
  input: unknown,
  query: QueryOptions,
): Promise<LeaderboardAnswer> {
  checkQuery(projectId, query);
  const { signal } = query;
  const asked = parseLeaderboardRequest(input);
  return context.store.read(async (session) => {
    const named = await nameEvaluations(
      session,
      context.catalogs,
      projectId,
      { input, asked },
      rankingWithIds,
      refuseUnknown,
    );
    const answer = await labelled(named, () => rankNow(session, context, projectId, named.request, signal));
    return labelledAnswer(named, answer);
  }, signal);
}

async function rankNow(
  session: Session,
  { catalogs }: QueryContext,
  projectId: string,
  ranking: Ranking,
  signal: AbortSignal | undefined,
): Promise<LeaderboardAnswer> {
  const { evaluations, models, warnings } = await chooseEvaluations(session, projectId, ranking);
  const request = { ...ranking.request, evaluationIds: evaluations.map(({ id }) => id) };
  const catalog = await readQueryCatalog(session, catalogs, projectId, request);
  const plan = await withLongTexts(session, buildPlan(projectId, request, catalog), request);
  const sums = await readSums(session, catalogs, plan);
  const chosen = await chooseSummarySlices(session, plan, catalog.fieldWarnings);
  const sliced = await readSummarySlices(session, plan, sums, chosen);
  const spending = plan === null ? NO_SPENDING : await readSpending(session, plan, ranking);
  const pooled = ranking.weights === null ? null : models;
  const board: Board = { ranking, evaluations, pooled, catalog, plan, sums, spending, sliced };
  const { answer, entries, paths, warnings: skewed } = await standings(session, board, signal);
  const notes = await readErrorNotes(session, plan, paths, sums);
  return {
    ...answer,
    ...(sliced === null ? {} : { slicing: sliced.slicing }),
    entries,
    warnings: [
      ...warnings,
      ...requestWarnings(request, catalog),
      ...spending.warnings,
      ...(chosen?.warnings ?? []),
      ...skewed,
      ...notes.ends,
    ],
    ...(plan === null || plan.countings.length === 0 ? {} : { notes: notes.counted }),
  };
}

/** Everything that was read of the evaluations, before they are compared. */
interface Board extends Facts {
  readonly ranking: Ranking;
  readonly evaluations: readonly ChosenEvaluation[];
  /** null where an entry is one evaluation. */
  readonly pooled: readonly ModelTasks[] | null;
  /** null where no evaluation has trials. */
  readonly plan: Plan | null;
}

async function standings(session: Session, board: Board, signal: AbortSignal | undefined) {
  const { ranking, evaluations, plan, sums } = board;
  const dimensions = rankedDimensions(ranking, plan, board.catalog, sums.sums);
  const own = evaluations.map((one) => describeEntry(one, dimensions, board));
  const pooled = await poolEntries(session, board, dimensions, own);
  const entries = pooled?.entries ?? own;
  const shown = dimensions.map(({ shown: dimension }) => dimension);
  const headline = chooseHeadline(ranking, dimensions, entries);
  const told =
    pooled === null ? entries : entries.map((one) => ({ ...one, tasks: pooled.tasksOf(one, headline) }));
  const first = headline === null ? told : orderByMean(told, shown, headline);
  const compared = await rankEntries(session, board, dimensions, headline, first, signal);
  const keys = sortKeys(ranking, dimensions, headline);
  return {
    answer: {
      by: ranking.by,
      ...(ranking.weights === null ? {} : { weights: ranking.weights }),
      dimensions: shown,
      headline,
      confidence: CONFIDENCE,
      adjust: ranking.adjust,
      family_size: compared.familySize,
      row_count: sums.rowCount,
    },
    warnings: [...(pooled?.warnings(headline) ?? []), ...skewWarnings(evaluations, dimensions, board)],
    paths: dimensions.map(({ path }) => path).filter((path) => traitsOf(path).isScore),
    entries: keys.length === 0 ? compared.entries : orderEntries(compared.entries, shown, keys),
  };
}

/** The entries of models over their tasks; null where an entry is one evaluation. */
async function poolEntries(
  session: Session,
  { ranking: { weights }, pooled, catalog, plan, sums }: Board,
  dimensions: readonly RankedDimension[],
  own: readonly LeaderboardEntry[],
) {
  if (pooled === null || weights === null) return null;
  const byId = new Map(own.map((one) => [one.evaluation_call_id, one]));
  const keysOf = ({ evaluations }: ModelTasks) =>
    evaluations.flatMap(({ id }) => catalog.evaluations.get(id)?.key ?? []);
  const momentsOf = (id: string) => {
    const evaluationKey = catalog.evaluations.get(id)?.key ?? NO_KEY;
    const place = (pathKey: number) => seriesKey({ evaluationKey, pathKey });
    return dimensions.map(({ path }) => sums.rowStatistics?.samples.get(place(path.key))?.moments ?? null);
  };
  const owners = pooled.flatMap((one) => {
    const [first, ...rest] = keysOf(one);
    return first === undefined ? [] : [first, ...rest].map((key) => [key, first] as const);
  });
  const latencies = plan === null ? null : await readLatencies(session, plan, new Map(owners));
  return {
    entries: pooled.flatMap((one) => {
      const [key = NO_KEY] = keysOf(one);
      const latency = latencies?.get(key) ?? { p50_seconds: null, trial_count: 0 };
      const tasks = one.evaluations.flatMap(({ id }) => byId.get(id) ?? []);
      return poolEntry(one.model, tasks, weights, latency, momentsOf);
    }),
    tasksOf: ({ model }: LeaderboardEntry, headline: number | null) => {
      const found = pooled.find((one) => one.model === model);
      return found === undefined ? [] : describeTasks(found, byId, headline);
    },
    warnings: (headline: number | null) => taskWarnings(pooled, byId, dimensions, headline),
  };
}

async function rankEntries(
  session: Session,
  { ranking, pooled, catalog: stored, plan, sums: read }: Board,
  dimensions: readonly RankedDimension[],
  headline: number | null,
  entries: readonly LeaderboardEntry[],
  signal: AbortSignal | undefined,
): Promise<{ readonly familySize: number; readonly entries: readonly LeaderboardEntry[] }> {
  const ranked = headline === null ? undefined : dimensions[headline];
  const valued = entries.filter(({ scores }) => scores[headline ?? 0]?.row_mean != null);
  if (plan === null || ranked === undefined || valued.length === 0) return { familySize: 0, entries };
  const { catalog, sums, pool } = poolTasks(pooled, ranking.weights, stored, read.sums);
  const nameOf = (one: LeaderboardEntry) =>
    pool === null ? one.evaluation_call_id : (one.model ?? one.evaluation_call_id);
  const { path, shown } = ranked;
  const { adjust, request } = ranking;
  const { familySize, ranks, comparisons } = await rankHeadline(
    session,
    { plan, catalog, path, sums, pool, direction: shown.direction, clusterBy: request.clusterBy },
    valued.map(nameOf),
    adjust,
    signal,
  );
  return {
    familySize,
    entries: entries.map((entry) => ({
      ...entry,
      ...ranks.get(nameOf(entry)),
      against_best: comparisons.get(nameOf(entry)) ?? null,
    })),
  };
}
