import { buildPlan, requestWarnings } from "../../plan/build-plan.ts";
import type { Plan, ScorePath } from "../../plan/plan.ts";
import { parseLeaderboardRequest, type Ranking } from "../../request/leaderboard/leaderboard-request.ts";
import type { LeaderboardAnswer, LeaderboardEntry } from "../../respond/leaderboard/leaderboard.ts";
import { errorNotes, type ErrorNotes } from "../../respond/summary/error-notes.ts";
import { orderByMean, orderEntries } from "../../respond/leaderboard/order.ts";
import type { Session } from "../../store/session.ts";
import { readQueryCatalog } from "../catalog/read-catalog.ts";
import type { QueryContext } from "../context.ts";
import { checkQuery } from "../../flow/check-options.ts";
import type { QueryOptions } from "../query/query.ts";
import { readSums } from "../query/sums.ts";
import { readErrorNotes } from "../statistics/failed-trials.ts";
import { CONFIDENCE, rankHeadline } from "./against-best.ts";
import { chooseEvaluations, type ChosenEvaluation } from "./choose-evaluations.ts";
import { chooseHeadline, rankedDimensions, sortKeys, type RankedDimension } from "./dimensions.ts";
import { describeEntry, skewWarnings, type Facts } from "./entries.ts";
import { NO_SPENDING, readSpending } from "./spending.ts";

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
    const sums = await readSums(session, catalogs, plan);
    const spending = plan === null ? NO_SPENDING : await readSpending(session, plan, ranking);
    const board: Board = { ranking, evaluations, catalog, plan, sums, spending };
    const { answer, entries, paths, warnings: skewed } = await standings(session, board, signal);
    const notes = await notesOf(session, board, paths);
    return {
      ...answer,
      entries,
      warnings: [
        ...warnings,
        ...requestWarnings(request, catalog),
        ...spending.warnings,
        ...skewed,
        ...notes.ends,
      ],
      ...(plan?.countedErrors == null ? {} : { notes: notes.counted }),
    };
  }, signal);
}

/** Everything that was read of the evaluations, before they are compared. */
interface Board extends Facts {
  readonly ranking: Ranking;
  readonly evaluations: readonly ChosenEvaluation[];
  /** null where no evaluation has trials. */
  readonly plan: Plan | null;
}

interface Standings {
  readonly answer: Omit<LeaderboardAnswer, "entries" | "warnings">;
  readonly entries: readonly LeaderboardEntry[];
  readonly warnings: readonly string[];
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
  const entries = evaluations.map((one) => describeEntry(one, dimensions, board));
  const shown = dimensions.map(({ shown: dimension }) => dimension);
  const headline = chooseHeadline(ranking, dimensions, entries);
  const first = headline === null ? entries : orderByMean(entries, shown, headline);
  const compared = await rankEntries(session, board, dimensions, headline, first, signal);
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
    warnings: skewWarnings(evaluations, dimensions, board),
    paths: dimensions.map(({ path }) => path),
    entries: keys.length === 0 ? compared.entries : orderEntries(compared.entries, shown, keys),
  };
}

async function rankEntries(
  session: Session,
  { ranking, catalog, plan, sums }: Board,
  dimensions: readonly RankedDimension[],
  headline: number | null,
  entries: readonly LeaderboardEntry[],
  signal: AbortSignal | undefined,
): Promise<{ readonly familySize: number; readonly entries: readonly LeaderboardEntry[] }> {
  const ranked = headline === null ? undefined : dimensions[headline];
  const valued = entries.filter(({ scores }) => scores[headline ?? 0]?.row_mean != null);
  if (plan === null || ranked === undefined || valued.length === 0) return { familySize: 0, entries };
  const { familySize, ranks, comparisons } = await rankHeadline(
    session,
    {
      plan,
      catalog,
      path: ranked.path,
      sums: sums.sums,
      lowerIsBetter: ranked.shown.lower_is_better,
      evaluationIds: valued.map((one) => one.evaluation_call_id),
      adjust: ranking.adjust,
      clusterBy: ranking.request.clusterBy,
    },
    signal,
  );
  return {
    familySize,
    entries: entries.map((entry) => ({
      ...entry,
      ...ranks.get(entry.evaluation_call_id),
      against_best: comparisons.get(entry.evaluation_call_id) ?? null,
    })),
  };
}
