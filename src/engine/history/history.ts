import {
  compileEvaluationList,
  compileValued,
  type ListedEvaluation,
} from "../../compile/catalog/evaluations.ts";
import { checkQuery } from "../../flow/check-options.ts";
import { countOf } from "../../model/messages.ts";
import { evaluationLabels, type Labelled } from "../../model/labels.ts";
import { buildPlan, requestWarnings } from "../../plan/build-plan.ts";
import type { Plan } from "../../plan/plan.ts";
import { parseHistoryRequest, type Remembering } from "../../request/history-request.ts";
import { type HistoryAnswer, type HistoryEntry, worseSince } from "../../respond/history/history.ts";
import type { LeaderboardEntry } from "../../respond/leaderboard/leaderboard.ts";
import type { Session } from "../../store/session.ts";
import { type CatalogCache, readQueryCatalog } from "../catalog/read-catalog.ts";
import type { QueryContext } from "../context.ts";
import {
  chooseHeadline,
  type RankedDimension,
  rankedDimensions,
} from "../../respond/leaderboard/dimensions.ts";
import { describeEntry, type Facts } from "../leaderboard/entries.ts";
import { NO_SPENDING, readSpending } from "../leaderboard/spending.ts";
import type { QueryOptions } from "../query/query.ts";
import { readSums } from "../query/sums.ts";
import { formatTimestamp } from "../../model/timestamp.ts";
import { meaningless } from "../../request/meaningless.ts";
import { findEvaluation } from "../../request/find-evaluation.ts";
import type { Adjustment } from "../../request/compare-request.ts";
import { type Adjusting, compareAll, type ComparisonInput } from "../../respond/compare/comparison.ts";
import { type Family, familyOf } from "../../respond/compare/family.ts";
import { type Headline, readHeadline } from "../leaderboard/against-best.ts";

/** Tells the evaluations of one name, and since when they are worse. Throws `RequestError` on an unknown name, scorer or field. */
export async function readHistory(
  { store, catalogs }: QueryContext,
  projectId: string,
  input: unknown,
  query: QueryOptions,
): Promise<HistoryAnswer> {
  checkQuery(projectId, query);
  const remembering = parseHistoryRequest(input);
  const { ranking, confidence, adjust } = remembering;
  return store.read(async (session) => {
    const { name, evaluations, warnings } = await chooseEntries(session, catalogs, projectId, remembering);
    const request = { ...ranking.request, evaluationIds: evaluations.map(({ id }) => id) };
    const catalog = await readQueryCatalog(session, catalogs, projectId, request);
    const plan = buildPlan(projectId, request, catalog);
    const sums = await readSums(session, catalogs, plan);
    const spending = plan === null ? NO_SPENDING : await readSpending(session, plan, ranking);
    const dimensions = rankedDimensions(ranking, plan, sums.sums);
    const facts = { catalog, sums, sliced: null, spending };
    const told = evaluations.map((one) => describeEntry({ ...one, among: 1 }, dimensions, facts));
    const headline = chooseHeadline(ranking, dimensions, told);
    const run = { remembering, evaluations, dimensions, facts, plan, told, headline };
    const { entries, familySize, worse } = await compareEntries(session, run, query.signal);
    return {
      name,
      dimensions: dimensions.map(({ shown }) => shown),
      headline,
      confidence,
      adjust,
      family_size: familySize,
      entries,
      worse_since: worse,
      warnings: [...warnings, ...requestWarnings(request, catalog), ...spending.warnings, ...unlike(entries)],
    };
  }, query.signal);
}

/** Everything that was read of the evaluations, before they are compared. */
interface Told {
  readonly remembering: Remembering;
  readonly evaluations: readonly ListedEvaluation[];
  readonly dimensions: readonly RankedDimension[];
  readonly facts: Facts;
  readonly plan: Plan | null;
  readonly told: readonly LeaderboardEntry[];
  readonly headline: number | null;
}

const UNPOOLED = { pool: null, clusterBy: null } as const;

async function compareEntries(
  session: Session,
  { remembering, evaluations, dimensions, facts, plan, told, headline }: Told,
  signal: AbortSignal | undefined,
) {
  const labels = evaluationLabels(evaluations.map(labelledOf));
  const shown = evaluations.map((one, i) => entryOf(one, labels, told[i]));
  const ranked = headline === null ? undefined : dimensions[headline];
  const meanOf = ({ scores }: HistoryEntry) => scores[headline ?? 0]?.row_mean ?? null;
  const valued = shown.filter((one) => meanOf(one) !== null);
  const lowerIsBetter = ranked?.shown.lower_is_better === true;
  const sign = lowerIsBetter ? -1 : 1;
  const [best] = valued.toSorted((a, b) => sign * ((meanOf(b) ?? 0) - (meanOf(a) ?? 0)));
  if (plan === null || ranked === undefined || best === undefined)
    return { entries: shown, familySize: 0, worse: null };
  const ids = valued.map(({ evaluation_call_id: id }) => id);
  const { confidence, adjust } = remembering;
  const { catalog, sums } = facts;
  const own = { plan, catalog, path: ranked.path, sums: sums.sums, lowerIsBetter, ...UNPOOLED };
  const compared = { ids, best: best.evaluation_call_id, confidence, adjust };
  const pairs = await comparePairs(session, own, compared, signal);
  const entries = shown.map((one): HistoryEntry => {
    const id = one.evaluation_call_id;
    const previous = ids[ids.indexOf(id) - 1];
    return {
      ...one,
      against_previous: previous === undefined ? null : pairs.of(previous, id),
      against_best: pairs.of(best.evaluation_call_id, id),
    };
  });
  const places = entries.map((one) => one.evaluation_call_id);
  return {
    entries,
    familySize: pairs.familySize,
    worse: worseSince(entries, places.indexOf(best.evaluation_call_id)),
  };
}

/** An entry before it is compared. */
function entryOf(
  one: ListedEvaluation,
  labels: ReadonlyMap<string, string>,
  told: LeaderboardEntry | undefined,
): HistoryEntry {
  return {
    evaluation_call_id: one.id,
    label: labels.get(one.id) ?? one.id,
    started_at: labelledOf(one).started_at,
    model: told?.model ?? null,
    commit: one.commit,
    branch: one.branch,
    row_count: told?.row_count ?? 0,
    trial_count: told?.trial_count ?? 0,
    error_count: told?.error_count ?? 0,
    scores: told?.scores ?? [],
    against_previous: null,
    against_best: null,
  };
}

/** Names entries of which less than half of the rows are those of the best. */
function unlike(entries: readonly HistoryEntry[]): string[] {
  return entries.flatMap(({ label, row_count: rows, against_best: against }) =>
    against === null || 2 * (rows - against.n_only_candidate) >= rows
      ? []
      : [`${label} and the best share ${rows - against.n_only_candidate} of ${rows} rows`],
  );
}

/**
 * The last finished evaluations of one name that have a value: of the name of whatever a text stands for. Throws `RequestError` where
 * it stands for none.
 */
async function chooseEntries(
  session: Session,
  catalogs: CatalogCache,
  projectId: string,
  { name: asked, limit, ranking }: Remembering,
) {
  await session.about(projectId, []);
  const list = await session.all(compileEvaluationList(projectId));
  const found = findEvaluation(asked ?? "latest", list.map(labelledOf));
  if ("fault" in found) throw meaningless(["name"], found.fault);
  const name = list.find(({ id }) => id === found.id)?.displayName ?? null;
  if (name === null) throw meaningless(["name"], `${JSON.stringify(found.id)} has no name; name another`);
  const namesakes = list.filter(({ displayName }) => displayName === name);
  const finished = namesakes.filter(
    ({ endedAt, exception, trials }) => endedAt !== null && exception === null && trials > 0,
  );
  const request = { ...ranking.request, evaluationIds: finished.map(({ id }) => id) };
  const { evaluations } = await readQueryCatalog(session, catalogs, projectId, request);
  const keys = [...evaluations.values()].flatMap(({ key }) => key ?? []);
  const tried = keys.length === 0 ? [] : await session.all(compileValued(keys));
  const valued = new Set(tried.map(({ key }) => key));
  const kept = finished.filter(({ id }) => valued.has(evaluations.get(id)?.key ?? -1));
  const shown = kept.slice(-limit);
  const [first] = shown;
  const since = first === undefined ? [] : namesakes.slice(namesakes.indexOf(first));
  const left = since.length - shown.length;
  const why = "not finished, or without a value";
  const warnings =
    left === 0 ? [] : [`${left} of ${countOf(since.length, "run")} of this name left out: ${why}`];
  return { name, evaluations: shown, warnings };
}

function labelledOf({ id, displayName, startedAt, modelRef, commit, branch }: ListedEvaluation): Labelled {
  const started_at = startedAt === null ? null : formatTimestamp(startedAt);
  return { id, display_name: displayName, started_at, model_ref: modelRef, commit, branch };
}

/** The entries with a value in the headline score, the latest last. */
interface ComparedEntries {
  readonly ids: readonly string[];
  /** One of the ids. */
  readonly best: string;
  readonly confidence: number;
  readonly adjust: Adjustment;
}

/** Compares each entry with the one before and with the best; all are one family, in which two evaluations are one pair. */
async function comparePairs(
  session: Session,
  headline: Headline,
  { ids, best, confidence, adjust }: ComparedEntries,
  signal: AbortSignal | undefined,
) {
  const names: string[] = [];
  const inputs: ComparisonInput[] = [];
  for (const [i, baseline] of ids.entries()) {
    const candidates = baseline === best ? ids.filter((id) => id !== best) : ids.slice(i + 1, i + 2);
    if (candidates.length === 0) continue;
    inputs.push(...(await readHeadline(session, headline, [baseline, ...candidates])).inputs);
    names.push(...candidates.map((candidate) => pairName(baseline, candidate)));
  }
  const adjusting = onceEach(names.map(sides), adjust, 1 - confidence);
  const { familySize, comparisons } = await compareAll(
    inputs,
    { confidence, margin: null, adjusting },
    signal,
  );
  const found = new Map(comparisons.map((one, i) => [names[i], one]));
  // null for two that were not compared.
  return {
    familySize,
    of: (baseline: string, candidate: string) => found.get(pairName(baseline, candidate)) ?? null,
  };
}

function pairName(baseline: string, candidate: string): string {
  return JSON.stringify([baseline, candidate]);
}

/** The same name for a pair, whichever is the baseline. */
function sides(name: string): string {
  return JSON.stringify((JSON.parse(name) as string[]).toSorted());
}

/** Adjusts p values of which several may be of one pair: that counts once. */
function onceEach(pairs: readonly string[], adjust: Adjustment, alpha: number): Adjusting {
  const first = new Map<string, number>();
  for (const pair of pairs) if (!first.has(pair)) first.set(pair, first.size);
  const family = (p: readonly (number | null)[]): Family => {
    const distinct = [...first.keys()].map((pair) => p[pairs.indexOf(pair)] ?? null);
    const { adjusted, ...rest } = familyOf(distinct, adjust, alpha);
    return { ...rest, adjusted: pairs.map((pair) => adjusted[first.get(pair) ?? 0] ?? null) };
  };
  return { differences: family, equivalences: (p) => family(p).adjusted };
}
