import { compileSummaryScores } from "../../compile/query.ts";
import { narrowing } from "../../compile/rows/selected-rows.ts";
import { BOOLEAN } from "../../model/score-kind.ts";
import type { Session } from "../../store/session.ts";
import { buildPlan, requestWarnings } from "../../plan/build-plan.ts";
import type { Plan, SummaryPlan } from "../../plan/plan.ts";
import type { QueryCatalog } from "../../plan/query-catalog.ts";
import { parseCompareRequest, type Comparing } from "../../request/compare-request.ts";
import { meaningless } from "../../request/meaningless.ts";
import { compareAll, type ComparisonAnswer, type ComparisonInput } from "../../respond/compare/comparison.ts";
import type { ScoreSum } from "../../plan/results.ts";
import { chooseDimensions, lowerIsBetter, type Dimension } from "./dimensions.ts";
import { comparisonWarnings } from "./warnings.ts";
import { withCountedErrors } from "../query/sums.ts";
import { readErrorNotesOf } from "../statistics/failed-trials.ts";
import { checkQuery } from "../flow/check-options.ts";
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
    const catalog = await readQueryCatalog(session, catalogs, projectId, comparing.request);
    checkEvaluations(comparing, catalog);
    const plan = buildPlan(projectId, comparing.request, catalog);
    if (plan?.summary == null)
      throw meaningless(["baseline"], "neither the baseline nor a candidate has trials");
    const narrowed = narrowing(plan, false);
    const sums = await readSums(session, plan, plan.summary);
    const dimensions = chooseDimensions(comparing, catalog, plan.summary.scorePaths, sums);
    const pairs = await readPairsInParts(session, plan, narrowed, catalog, comparing, dimensions);
    checkCommonRows(comparing, catalog, pairs);
    const inputs = comparisonInputs(comparing, catalog, dimensions, lowerPaths(comparing, dimensions), pairs);
    const { familySize, comparisons } = await compareAll(inputs, comparing, signal);
    const context = { session, conventions, catalog, plan, comparing, dimensions, pairs, narrowed };
    const paths = dimensions.map(({ path }) => path);
    const failed = await readErrorNotesOf(session, plan, plan.summary, paths, sums);
    const warnings = [
      ...requestWarnings(comparing.request, catalog),
      ...(await comparisonWarnings(context, inputs)),
      ...failed.ends,
    ];
    const notes = plan.countedErrors === null ? {} : { notes: failed.counted };
    const { confidence, adjust } = comparing;
    return {
      epoch: session.epoch,
      answer: { confidence, adjust, family_size: familySize, comparisons, warnings, ...notes },
    };
  }, signal);
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
    comparing.lowerIsBetter,
    dimensions.map(({ path }) => path),
  );
}

/** The sums and counts of each candidate in each dimension; `lower` has the keys of dimensions whose lower values are better. */
export function comparisonInputs(
  comparing: Pick<Comparing, "candidates" | "scorers">,
  catalog: QueryCatalog,
  dimensions: readonly Dimension[],
  lower: ReadonlySet<number>,
  pairs: PairsByPlace,
): ComparisonInput[] {
  return comparing.candidates.flatMap((candidate) => {
    const key = catalog.evaluations.get(candidate)?.key ?? 0;
    const presence = pairs.presence(key);
    return dimensions.flatMap((dimension): ComparisonInput[] => {
      const kind = dimension.kinds.get(key);
      if (kind === undefined && comparing.scorers === null) return [];
      const sums = pairs.sums(key, dimension.path.key);
      const n = sums?.differences.n ?? 0;
      return [
        {
          candidate,
          path: dimension.path.path,
          lowerIsBetter: lower.has(dimension.path.key),
          binary: kind === BOOLEAN && dimension.baselineKind === BOOLEAN,
          rows: {
            n_only_baseline: presence.onlyBaseline,
            n_only_candidate: presence.onlyCandidate,
            n_missing_baseline: pairs.candidateValues(key, dimension.path.key) - n,
            n_missing_candidate: pairs.baselineValues(key, dimension.path.key) - n,
          },
          sums,
          counted: dimension.counted?.(key),
        },
      ];
    });
  });
}
