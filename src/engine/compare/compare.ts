import { compileSummaryScores } from "../../compile/query.ts";
import type { InputPath } from "../../errors.ts";
import { narrowing } from "../../compile/rows/selected-rows.ts";
import { didYouMean } from "../../model/nearest.ts";
import { BOOLEAN } from "../../model/score-kind.ts";
import type { Session } from "../../store/session.ts";
import { buildPlan, requestWarnings } from "../../plan/build-plan.ts";
import type { Plan, SummaryPlan } from "../../plan/plan.ts";
import type { QueryCatalog } from "../../plan/query-catalog.ts";
import { parseCompareRequest, type Comparing, type PairAdjustment } from "../../request/compare-request.ts";
import type { EvalRequest } from "../../request/eval-request.ts";
import { meaningless } from "../../request/meaningless.ts";
import {
  adjustingBy,
  compareAll,
  type ComparisonAnswer,
  type ComparisonInput,
  type ScoreRank,
} from "../../respond/compare/comparison.ts";
import { meanDifference } from "../../respond/compare/pair-sums.ts";
import type { ScoreSum } from "../../plan/results.ts";
import { chooseEvaluations, type ModelTasks } from "./choose-evaluations.ts";
import { poolTasks } from "./task-pool.ts";
import { chooseDimensions, lowerIsBetter, type Dimension } from "./dimensions.ts";
import { compareSlices, type ComparedGroup } from "./slices.ts";
import { correctInputs } from "./corrected.ts";
import type { OrderedDimension } from "./boards.ts";
import { rankAll, type Ranking } from "./rank-all.ts";
import { comparisonWarnings, type ComparisonContext } from "./warnings.ts";
import { withCountedErrors } from "../query/sums.ts";
import { readErrorNotesOf } from "../statistics/failed-trials.ts";
import { checkQuery } from "../../flow/check-options.ts";
import type { PairsByPlace } from "./read-pairs.ts";
import { readPairsInParts } from "./read-pairs-in-parts.ts";
import type { QueryContext } from "../context.ts";
import { answerKey } from "../query/answer-cache.ts";
import type { QueryOptions } from "../query/query.ts";
import { readQueryCatalog } from "../catalog/read-catalog.ts";

/**
 * Compares evaluations with a baseline on their common rows. Throws `RequestError` where there is nothing to compare:
 * on an unknown evaluation or scorer, a text dimension, or where no candidate has two rows in common with the baseline.
 */
export async function compareEvaluations(
  context: QueryContext,
  projectId: string,
  input: unknown,
  query: QueryOptions,
): Promise<ComparisonAnswer> {
  checkQuery(projectId, query);
  const { signal } = query;
  const comparing = parseCompareRequest(input);
  const { store, comparisons } = context;
  const key = answerKey(projectId, comparing);
  const now = comparisons === null ? null : await store.epoch();
  const known = now === null ? undefined : comparisons?.find(key, now);
  if (known !== undefined) {
    signal?.throwIfAborted();
    return known;
  }
  const { epoch, answer } = await compareNow(context, projectId, comparing, signal);
  if (epoch !== null) comparisons?.keep(key, epoch, answer);
  return answer;
}

/** `epoch` is that of the snapshot that was read, null if it is unknown. */
function compareNow(
  { store, catalogs, conventions }: QueryContext,
  projectId: string,
  comparing: Comparing,
  signal: AbortSignal | undefined,
): Promise<{ readonly epoch: number | null; readonly answer: ComparisonAnswer }> {
  return store.read(async (session) => {
    const { request, models, warnings: taken } = await chooseCompared(session, projectId, comparing);
    const stored = await readQueryCatalog(session, catalogs, projectId, request);
    if (models === null) checkEvaluations(comparing, stored);
    const whole = buildPlan(projectId, request, stored);
    if (whole?.summary == null)
      throw meaningless(["baseline"], "neither the baseline nor a candidate has trials");
    const narrowed = narrowing(whole, false);
    const read = await readSums(session, whole, whole.summary);
    const { catalog, sums, pool } = poolTasks(models, comparing.models?.weights ?? null, stored, read);
    const plan = { ...whole, evaluationKeys: keysOf(comparing, catalog) };
    const dimensions = chooseDimensions(comparing, catalog, whole.summary.scorePaths, sums);
    const sides = { clusterBy: request.clusterBy, pool };
    const pairs = await readPairsInParts(session, plan, narrowed, catalog, sides, dimensions);
    checkCommonRows(comparing, catalog, pairs);
    const lower = lowerPaths(comparing, dimensions);
    const context = { session, conventions, catalog, plan, comparing, dimensions, pairs, narrowed, pool };
    const plain = comparisonInputs(comparing, catalog, dimensions, lower, pairs);
    const inputs = await correctInputs(context, sums, plain);
    const compared = await compareInputs(context, inputs, lower, signal);
    const paths = dimensions.map(({ path }) => path);
    const sliced = await compareSliced(context, { plan, dimensions, inputs, ...compared }, signal);
    const failed = await readErrorNotesOf(session, whole, whole.summary, paths, read);
    const warnings = [
      ...taken,
      ...requestWarnings(request, stored),
      ...(await comparisonWarnings(context, inputs)),
      ...sliced.warnings,
      ...failed.ends,
    ];
    const notes = whole.countedErrors === null ? {} : { notes: failed.counted };
    return { epoch: session.epoch, answer: { ...compared, ...sliced, warnings, ...notes } };
  }, signal);
}

/** The comparisons with the slices that were asked for. */
async function compareSliced(
  context: ComparisonContext,
  group: ComparedGroup,
  signal: AbortSignal | undefined,
): Promise<Pick<ComparisonAnswer, "comparisons" | "slicing" | "warnings">> {
  const { comparing, plan } = context;
  const { slices } = comparing.request;
  if (slices === null) return { comparisons: group.comparisons, warnings: [] };
  const times = comparing.ranking === null ? 1 : plan.evaluationKeys.length / 2;
  return compareSlices(context, slices, [group], times, signal);
}

/** The models that are compared, with the evaluations that are taken for each; without `by: "model"`, the request as it is. */
async function chooseCompared(
  session: Session,
  projectId: string,
  { models: asked, baseline, candidates, request }: Comparing,
): Promise<{
  readonly request: EvalRequest;
  readonly models: readonly ModelTasks[] | null;
  readonly warnings: readonly string[];
}> {
  if (asked === null) return { request, models: null, warnings: [] };
  const { models, warnings } = await chooseEvaluations(session, projectId, {
    evaluations: null,
    by: "model",
    ...asked,
  });
  const known = new Map((models ?? []).map((one) => [one.model, one]));
  const find = (name: string, loc: InputPath): ModelTasks => {
    const found = known.get(name);
    if (found?.evaluations.some(({ trials }) => trials > 0) === true) return found;
    const kept = asked.where.length === 0 ? "" : " among those that where keeps";
    throw meaningless(
      loc,
      `no evaluation of a model ${JSON.stringify(name)} has trials${kept}${didYouMean(name, [...known.keys()])}`,
    );
  };
  const compared = [
    find(baseline, ["baseline"]),
    ...candidates.map((name, i) => find(name, ["candidates", i])),
  ];
  const evaluationIds = compared.flatMap(({ evaluations }) => evaluations.map(({ id }) => id));
  return { request: { ...request, evaluationIds }, models: compared, warnings };
}

/** The keys of the baseline and the candidates, all of which are known. */
function keysOf({ baseline, candidates }: Pick<Comparing, "baseline" | "candidates">, catalog: QueryCatalog) {
  return [baseline, ...candidates].flatMap((id) => catalog.evaluations.get(id)?.key ?? []);
}

/** Computes the comparisons, adjusted for each other or, where the baseline is the best, for all pairs. */
async function compareInputs(
  context: ComparisonContext,
  inputs: readonly ComparisonInput[],
  lower: ReadonlySet<number>,
  signal: AbortSignal | undefined,
): Promise<Omit<ComparisonAnswer, "warnings">> {
  const { comparing, catalog, dimensions } = context;
  const { confidence, adjust, margin } = comparing;
  const ranking =
    comparing.ranking === null ? null : await rankCompared(context, comparing.ranking, lower, signal);
  const adjusting = ranking?.adjusting(inputs) ?? adjustingBy(adjust, confidence);
  const { familySize, comparisons } = await compareAll(inputs, { confidence, margin, adjusting }, signal);
  return {
    confidence,
    adjust: comparing.ranking ?? adjust,
    family_size: familySize,
    comparisons,
    ranks: ranking === null ? null : scoreRanks(comparing, catalog, dimensions, ranking),
  };
}

function checkEvaluations({ baseline, candidates }: Comparing, { evaluations }: QueryCatalog): void {
  const check = (id: string, loc: readonly (string | number)[]) => {
    const known = evaluations.get(id);
    if (known === undefined)
      throw meaningless(
        loc,
        `evaluation ${JSON.stringify(id)} is not in this project; the list of evaluations has those that are`,
      );
    if (known.key === null) throw meaningless(loc, `evaluation ${JSON.stringify(id)} has no trials`);
  };
  check(baseline, ["baseline"]);
  for (const [i, id] of candidates.entries()) check(id, ["candidates", i]);
}

async function readSums(session: Session, plan: Plan, summary: SummaryPlan): Promise<readonly ScoreSum[]> {
  const found = await session.all(compileSummaryScores(plan, summary));
  const sums = found.flatMap(({ sum }) => (sum === null ? [] : [sum]));
  return withCountedErrors(session, plan, summary, sums);
}

/** Ranks the evaluations of each dimension, ordered by their differences to the baseline. */
function rankCompared(
  { session, plan, catalog, comparing, dimensions, pairs, narrowed, pool }: ComparisonContext,
  adjust: PairAdjustment,
  lower: ReadonlySet<number>,
  signal: AbortSignal | undefined,
): Promise<Ranking> {
  const [baseline = 0, ...candidates] = plan.evaluationKeys;
  const ordered = dimensions.flatMap((dimension): OrderedDimension[] => {
    if (!dimension.kinds.has(baseline)) return [];
    const isLower = lower.has(dimension.path.key);
    const gains = candidates.flatMap((key) => {
      const sums = pairs.sums(key, dimension.path.key);
      if (sums === null) return [];
      const difference = meanDifference(sums);
      return [{ key, gain: isLower ? -difference : difference }];
    });
    const order = [{ key: baseline, gain: 0 }, ...gains].toSorted((a, b) => b.gain - a.gain);
    return [{ ...dimension, lowerIsBetter: isLower, order: order.map(({ key }) => key) }];
  });
  const { confidence } = comparing;
  const { clusterBy } = comparing.request;
  const withBaseline = (key: number, path: number) => pairs.sums(key, path);
  const scope = { plan, narrowing: narrowed, catalog, clusterBy, pool, baseline, withBaseline };
  return rankAll(session, { ...scope, adjust, confidence }, ordered, signal);
}

function scoreRanks(
  { baseline, candidates }: Comparing,
  catalog: QueryCatalog,
  dimensions: readonly Dimension[],
  ranking: Ranking,
): ScoreRank[] {
  return dimensions.flatMap(({ path }) => {
    const [scorerKey = "", ...rest] = path.path;
    return [baseline, ...candidates].flatMap((id): ScoreRank[] => {
      const rank = ranking.rank(path.key, catalog.evaluations.get(id)?.key ?? 0);
      const place = { scorer_key: scorerKey, path: rest.length === 0 ? null : rest.join(".") };
      return rank === null ? [] : [{ evaluation_call_id: id, ...place, ...rank }];
    });
  });
}

/** One candidate that shares rows is enough: of the others the answer says that they share none. */
function checkCommonRows(comparing: Comparing, catalog: QueryCatalog, pairs: PairsByPlace): void {
  const presences = comparing.candidates.map((id) => pairs.presence(catalog.evaluations.get(id)?.key ?? 0));
  if (presences.some(({ both }) => both >= 2)) return;
  for (const [i, id] of comparing.candidates.entries()) {
    const { both = 0, onlyBaseline = 0, onlyCandidate = 0 } = presences[i] ?? {};
    const rows = both === 0 ? "no row" : "one row only";
    const filtered = comparing.request.filters.length > 0 ? " that the filters keep" : "";
    throw meaningless(
      ["candidates", i],
      [
        `${JSON.stringify(id)} shares ${rows} with the baseline${filtered} (${onlyBaseline} are in the baseline only, ${onlyCandidate} in the candidate only); a comparison needs two`,
        ...catalog.fieldWarnings,
      ].join("; "),
    );
  }
}

/** The keys of the dimensions whose lower values are better. Throws `RequestError` where nothing can be compared. */
function lowerPaths(comparing: Comparing, dimensions: readonly Dimension[]): ReadonlySet<number> {
  if (dimensions.length === 0)
    throw meaningless(["baseline"], "the baseline and the candidates share no score of numbers or booleans");
  return lowerIsBetter(
    comparing,
    dimensions.map(({ path }) => path),
  );
}

function reasonOf(candidate: number | undefined, baseline: number | undefined): string | null {
  if (baseline === undefined) return "the baseline has no value";
  return candidate === undefined ? "the candidate has no value" : null;
}

/** The sums and counts of each candidate in each dimension; `lower` has the keys of dimensions whose lower values are better. */
export function comparisonInputs(
  { candidates }: Pick<Comparing, "candidates">,
  catalog: QueryCatalog,
  dimensions: readonly Dimension[],
  lower: ReadonlySet<number>,
  pairs: PairsByPlace,
): ComparisonInput[] {
  return candidates.flatMap((candidate) => {
    const key = catalog.evaluations.get(candidate)?.key ?? 0;
    const presence = pairs.presence(key);
    return dimensions.map((dimension): ComparisonInput => {
      const kind = dimension.kinds.get(key);
      const sums = pairs.sums(key, dimension.path.key);
      const n = sums?.differences.n ?? 0;
      return {
        candidate,
        path: dimension.path.path,
        lowerIsBetter: lower.has(dimension.path.key),
        binary: (kind ?? BOOLEAN) === BOOLEAN && dimension.baselineKind === BOOLEAN,
        reason: reasonOf(kind, dimension.baselineKind),
        rows: {
          n_only_baseline: presence.onlyBaseline,
          n_only_candidate: presence.onlyCandidate,
          n_missing_baseline: pairs.candidateValues(key, dimension.path.key) - n,
          n_missing_candidate: pairs.baselineValues(key, dimension.path.key) - n,
        },
        sums,
        counted: dimension.counted?.(key),
        pooled: pairs.pooled === true,
      };
    });
  });
}
