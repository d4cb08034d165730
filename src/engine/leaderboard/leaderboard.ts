import { buildPlan, requestWarnings } from "../../plan/build-plan.ts";
import type { Plan, ScorePath } from "../../plan/plan.ts";
import type { QueryCatalog } from "../../plan/query-catalog.ts";
import type { ScoreSums } from "../../plan/results.ts";
import { parseLeaderboardRequest, type Ranking } from "../../request/leaderboard/leaderboard-request.ts";
import type { LeaderboardAnswer, LeaderboardEntry } from "../../respond/leaderboard/leaderboard.ts";
import { standingOf } from "../../respond/leaderboard/leaderboard.ts";
import { errorNotes, type ErrorNotes } from "../../respond/summary/error-notes.ts";
import { orderByMean, orderEntries } from "../../respond/leaderboard/order.ts";
import type { Session } from "../../store/session.ts";
import { readQueryCatalog } from "../catalog/read-catalog.ts";
import type { QueryContext } from "../context.ts";
import { checkQuery } from "../flow/check-options.ts";
import type { QueryOptions } from "../query/query.ts";
import { readSums } from "../query/sums.ts";
import { readErrorNotes } from "../statistics/failed-trials.ts";
import { compareWithBest, CONFIDENCE } from "./against-best.ts";
import { chooseEvaluations, type ChosenEvaluation } from "./choose-evaluations.ts";
import { chooseHeadline, rankedDimensions, sortKeys, type RankedDimension } from "./dimensions.ts";
import { describeEntry, readFacts } from "./entries.ts";
import { NO_SPENDING, readSpending, type Spending } from "./spending.ts";

/** Puts the evaluations of a project in order. Throws `RequestError` on an unknown evaluation, scorer or field. */
export async function rankEvaluations(
  { store, catalogs }: QueryContext,
  projectId: string,
  input: unknown,
  query: QueryOptions,
): Promise<LeaderboardAnswer> {
  checkQuery(projectId, query);
  const { signal } = query;
  const ranking = parseLeaderboardRequest(input);
  return store.read(async (session) => {
    const { evaluations, warnings } = await chooseEvaluations(session, projectId, ranking);
    const request = { ...ranking.request, evaluationIds: evaluations.map(({ id }) => id) };
    const catalog = await readQueryCatalog(session, catalogs, projectId, request);
    const plan = buildPlan(projectId, request, catalog);
    const sums = await readSums(session, catalogs, plan, signal);
    const spending = plan === null ? NO_SPENDING : await readSpending(session, plan, ranking);
    const board: Board = { ranking, evaluations, catalog, plan, sums, spending };
    const { answer, entries, paths } = await standings(session, board, signal);
    const notes = await notesOf(session, board, paths);
    return {
      ...answer,
      entries,
      warnings: [...warnings, ...requestWarnings(request, catalog), ...spending.warnings, ...notes.ends],
      ...(plan?.countedErrors == null ? {} : { notes: notes.counted }),
    };
  }, signal);
}

/** Everything that was read of the evaluations, before they are compared. */
interface Board {
  readonly ranking: Ranking;
  readonly evaluations: readonly ChosenEvaluation[];
  readonly catalog: QueryCatalog;
  /** null where no evaluation has trials. */
  readonly plan: Plan | null;
  readonly sums: ScoreSums;
  readonly spending: Spending;
}

interface Standings {
  readonly answer: Omit<LeaderboardAnswer, "entries" | "warnings">;
  readonly entries: readonly LeaderboardEntry[];
  /** The dimensions of the answer. */
  readonly paths: readonly ScorePath[];
}

async function notesOf(
  session: Session,
  { plan, sums }: Board,
  paths: readonly ScorePath[],
): Promise<ErrorNotes> {
  if (plan?.summary == null) return errorNotes([]);
  const outcomes = sums.rowStatistics?.outcomes ?? null;
  return readErrorNotes(session, plan, plan.summary, paths, { ...sums, outcomes });
}

async function standings(
  session: Session,
  board: Board,
  signal: AbortSignal | undefined,
): Promise<Standings> {
  const { ranking, evaluations, plan, sums } = board;
  const dimensions = rankedDimensions(ranking, plan, sums.sums);
  const facts = readFacts(board.catalog, sums, board.spending);
  const entries = evaluations.map((one) => describeEntry(one, dimensions, facts));
  const shown = dimensions.map(({ shown: dimension }) => dimension);
  const headline = chooseHeadline(ranking, dimensions, entries);
  const first = headline === null ? entries : orderByMean(entries, shown, headline);
  const ranked = headline === null ? null : dimensions[headline];
  const compared = await compareEntries(session, board, ranked ?? null, first, signal);
  const keys = sortKeys(ranking, dimensions, headline);
  return {
    answer: {
      by: ranking.by,
      dimensions: shown,
      headline,
      confidence: CONFIDENCE,
      adjust: ranking.adjust,
      family_size: compared.familySize,
      row_count: sums.rowCount,
    },
    paths: dimensions.map(({ path }) => path),
    entries: keys.length === 0 ? compared.entries : orderEntries(compared.entries, shown, keys),
  };
}

async function compareEntries(
  session: Session,
  { ranking, catalog, plan, sums }: Board,
  ranked: RankedDimension | null,
  entries: readonly LeaderboardEntry[],
  signal: AbortSignal | undefined,
): Promise<{ readonly familySize: number; readonly entries: readonly LeaderboardEntry[] }> {
  const [leader] = entries;
  if (plan === null || ranked === null || leader === undefined) return { familySize: 0, entries };
  const best = leader.evaluation_call_id;
  const { familySize, comparisons } = await compareWithBest(
    session,
    {
      plan,
      catalog,
      path: ranked.path,
      sums: sums.sums,
      lowerIsBetter: ranked.shown.lower_is_better,
      best,
      adjust: ranking.adjust,
    },
    signal,
  );
  return {
    familySize,
    entries: entries.map((entry) => {
      const against = comparisons.get(entry.evaluation_call_id) ?? null;
      const standing =
        entry === leader ? ("best" as const) : against === null ? ("none" as const) : standingOf(against);
      return { ...entry, standing, against_best: against };
    }),
  };
}
