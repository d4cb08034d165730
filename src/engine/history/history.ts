import { withLongTexts } from "../catalog/long-texts.ts";
import { checkQuery } from "../../flow/check-options.ts";
import { buildPlan, requestWarnings } from "../../plan/build-plan.ts";
import type { Ranking } from "../../request/leaderboard-request.ts";
import { parseHistoryRequest, rememberingWithIds } from "../../request/history-request.ts";
import type { HistoryAnswer } from "../../respond/history/history.ts";
import { directedHeadline, rankedDimensions } from "../../respond/leaderboard/dimensions.ts";
import { inKeys } from "../../compile/relations/relations.ts";
import type { Plan } from "../../plan/plan.ts";
import type { LeaderboardEntry } from "../../respond/leaderboard/leaderboard.ts";
import type { Session } from "../../store/session.ts";
import { sql } from "../../store/sql.ts";
import { readRowSets, readUsers } from "../catalog/list-evaluations.ts";
import { nameEvaluations } from "../catalog/named-request.ts";
import { readQueryCatalog } from "../catalog/read-catalog.ts";
import type { QueryContext } from "../base/context.ts";
import { describeEntry } from "../leaderboard/entries.ts";
import { NO_SPENDING, readSpending } from "../leaderboard/spending.ts";
import type { QueryOptions } from "../query/query.ts";
import { readSums } from "../query/sums.ts";
import { chooseRuns } from "./choose-runs.ts";
import { compareShown } from "./compare-shown.ts";
import { describeRuns } from "./describe-runs.ts";

/**
 * Tells the evaluations of one name, and since when they are worse. Throws `RequestError` on an unknown name, scorer or
 * field.
 */
export async function readHistory(
  context: QueryContext,
  projectId: string,
  input: unknown,
  query: QueryOptions,
): Promise<HistoryAnswer> {
  checkQuery(projectId, query);
  const given = { input, asked: parseHistoryRequest(input) };
  const { signal } = query;
  return context.store.read((session) => historyNow(session, context, projectId, given, signal), signal);
}

async function historyNow(
  session: Session,
  context: QueryContext,
  projectId: string,
  given: { readonly input: unknown; readonly asked: ReturnType<typeof parseHistoryRequest> },
  signal: AbortSignal | undefined,
): Promise<HistoryAnswer> {
  const { catalogs } = context;
  const named = await nameEvaluations(session, catalogs, projectId, given, rememberingWithIds);
  const remembering = named.request;
  const { ranking, comparing } = remembering;
  const { name, runs, shown, warnings } = await chooseRuns(session, catalogs, projectId, remembering);
  const { plan, dimensions, described, notes } = await readFigures(
    session,
    context,
    projectId,
    ranking,
    shown,
  );
  const told = await withDigests(session, projectId, plan, described);
  const headline = directedHeadline(ranking, remembering.score, dimensions, told.at(-1));
  const scope = { session, context, projectId, remembering, signal };
  const compared = await compareShown(scope, runs, shown, dimensions[headline ?? -1]);
  const { entries, cut, anew } = describeRuns(runs, shown, told, compared);
  return {
    name,
    dimensions: dimensions.map((one) => one.shown),
    headline,
    confidence: comparing.confidence,
    adjust: comparing.adjust,
    entries,
    cut,
    worse_since: entries.at(-1)?.worse_since ?? null,
    warnings: [...named.notes, ...warnings, ...notes, ...anew],
  };
}

/** The figures of the runs that are shown, and what there is to say of them. */
async function readFigures(
  session: Session,
  { catalogs }: QueryContext,
  projectId: string,
  ranking: Ranking,
  shown: Parameters<typeof compareShown>[2],
) {
  const request = { ...ranking.request, evaluationIds: shown.map(({ id }) => id) };
  const catalog = await readQueryCatalog(session, catalogs, projectId, request);
  const plan = await withLongTexts(session, buildPlan(projectId, request, catalog), request);
  const sums = await readSums(session, catalogs, plan);
  const spending = plan === null ? NO_SPENDING : await readSpending(session, plan, ranking);
  const dimensions = rankedDimensions(ranking, plan, catalog, sums.sums);
  const facts = { catalog, sums, sliced: null, spending };
  const described = shown.map((one) => describeEntry({ ...one, among: 1 }, dimensions, facts));
  return { plan, dimensions, described, notes: [...requestWarnings(request, catalog), ...spending.warnings] };
}

/** With what entries of a leaderboard have not: a digest of the rows, and who stored the run. */
async function withDigests(
  session: Session,
  projectId: string,
  plan: Plan | null,
  entries: readonly LeaderboardEntry[],
) {
  const users = await readUsers(session, projectId);
  const rows = await readRowSets(session, inKeys(sql`e.evaluation_key`, plan?.evaluationKeys ?? []));
  return entries.map((one) => ({
    ...one,
    rows_digest: rows.get(one.evaluation_call_id)?.digest ?? null,
    user: users.get(one.evaluation_call_id) ?? null,
  }));
}
