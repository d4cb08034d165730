import { withLongTexts } from "../catalog/long-texts.ts";
import { compileSummaryScores } from "../../compile/query.ts";
import type { InputPath } from "../../errors.ts";
import { withoutEdited } from "../../compile/compare/edited-rows.ts";
import { narrowing } from "../../compile/rows/selected-rows.ts";
import { didYouMean } from "../../model/nearest.ts";
import { BOOLEAN } from "../../model/score-kind.ts";
import type { Session } from "../../store/session.ts";
import { traitsOf, unitOf } from "../../plan/dimension-traits.ts";
import { buildPlan, requestWarnings } from "../../plan/build-plan.ts";
import type { Plan, SummaryPlan } from "../../plan/plan.ts";
import type { QueryCatalog } from "../../plan/query-catalog.ts";
import type { CompareGroup } from "../../request/parse-compare-request.ts";
import { meaningless } from "../../request/meaningless.ts";
import type { ComparisonInput } from "../../respond/compare/comparison.ts";
import type { ScoreSum } from "../../plan/results.ts";
import { chooseEvaluations, type ModelTasks } from "./choose-evaluations.ts";
import { poolTasks } from "./task-pool.ts";
import {
  chooseDimensions,
  saidIn,
  type Said,
  type Dimension,
  dimensionName,
  areRates,
  kindsAt,
  ratesAt,
} from "../../respond/compare/dimensions.ts";
import { checkCommonRows } from "./common-rows.ts";
import { checkScores } from "./no-score.ts";
import { sideFacts, type ComparisonContext, type SideFacts } from "./side-facts.ts";
import { comparisonWarnings } from "./warnings.ts";
import { withCounted, withRates } from "../query/sums.ts";
import { readErrorNotesOf } from "../statistics/failed-trials.ts";
import type { PairsByPlace } from "./read-pairs.ts";
import { readPairsInParts } from "./read-pairs-in-parts.ts";
import type { QueryContext } from "../base/context.ts";
import { readNames, type KeptNames } from "../catalog/named-request.ts";
import { readQueryCatalog } from "../catalog/read-catalog.ts";
import { compileDifferenceMoments } from "../../compile/agreement/label-moments.ts";
import { agreementSide } from "../../plan/agreement-plan.ts";
import { correctedDifference } from "../../respond/compare/corrected.ts";
import type { CorrectedDifference } from "../../respond/compare/correction.ts";

/** A baseline with its candidates, as far as the other groups of the answer do not matter. */
export interface ComparedGroup {
  readonly context: ComparisonContext;
  readonly inputs: readonly ComparisonInput[];
  readonly warnings: () => Promise<readonly string[]>;
  readonly facts: () => Promise<SideFacts>;
  /** What trials without a value count as; null where they count nowhere. */
  readonly notes: readonly string[] | null;
}

/** Reads a group. Throws `RequestError` where there is nothing to compare. */
export async function readGroup(
  session: Session,
  { catalogs, conventions }: QueryContext,
  projectId: string,
  comparing: CompareGroup,
): Promise<ComparedGroup> {
  const { request, models, ...chosen } = await chooseCompared(session, catalogs.names, projectId, comparing);
  const stored = await readQueryCatalog(session, catalogs, projectId, request);
  if (models === null) checkEvaluations(comparing, stored);
  const whole = await withLongTexts(session, buildPlan(projectId, request, stored), request);
  if (whole?.summary == null)
    throw meaningless(comparing.baselinePlace, "neither the baseline nor a candidate has trials");
  const narrowed = comparing.leavesOutEdited ? withoutEdited(whole) : narrowing(whole, false);
  const read = await readKinds(session, whole, whole.summary);
  const { catalog, sums, pool } = poolTasks(models, comparing.models?.weights ?? null, stored, read);
  const plan = { ...whole, evaluationKeys: keysOf(comparing, catalog) };
  const dimensions = chooseDimensions(comparing, catalog, whole.summary.scorePaths, sums);
  const { clusterBy } = request;
  const pairs = await readPairsInParts(session, plan, narrowed, catalog, { clusterBy, pool }, dimensions);
  await checkCommonRows(session, { comparing, catalog, plan, pairs });
  await checkScores(session, projectId, comparing, stored, dimensions);
  const context = { session, conventions, catalog, plan, comparing, dimensions, pairs, narrowed, pool };
  const plain = comparisonInputs(comparing, catalog, dimensions, saidIn(comparing, catalog), pairs);
  const inputs = await correctInputs(context, sums, plain);
  const paths = dimensions.flatMap(({ path }) => (traitsOf(path).isScore ? [path] : []));
  const failed = await readErrorNotesOf(session, whole, whole.summary, paths, read);
  const facts = sideFacts(context, whole.summary.scorePaths, sums);
  return {
    context,
    inputs,
    warnings: async () => [
      ...chosen.warnings,
      ...requestWarnings(request, stored),
      ...(await comparisonWarnings(context, inputs, chosen.unfinished, await facts())),
      ...failed.ends,
    ],
    facts,
    notes: whole.countings.length === 0 ? null : failed.counted,
  };
}

/**
 * The models that are compared, with the evaluations that are taken for each; without `by: "model"`, the request as it
 * is. `unfinished`: sides that have not ended, or ended with an exception.
 */
async function chooseCompared(
  session: Session,
  names: KeptNames,
  projectId: string,
  { models: asked, baseline, candidates, places, baselinePlace, request }: CompareGroup,
) {
  const list = await readNames(session, names, projectId);
  const ids = new Set(list.flatMap(({ id, finished }) => (finished ? [] : [id])));
  if (asked === null) return { request, models: null, warnings: [], unfinished: ids };
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
    find(baseline, baselinePlace),
    ...candidates.map((name, i) => find(name, places[i] ?? [])),
  ];
  const evaluationIds = compared.flatMap(({ evaluations }) => evaluations.map(({ id }) => id));
  const ofModels = compared.filter(({ evaluations }) => evaluations.some(({ id }) => ids.has(id)));
  const unfinished = new Set(ofModels.map(({ model }) => model));
  return { request: { ...request, evaluationIds }, models: compared, warnings, unfinished };
}

/** The keys of the baseline and the candidates, all of which are known. */
function keysOf(
  { baseline, candidates }: Pick<CompareGroup, "baseline" | "candidates">,
  catalog: QueryCatalog,
) {
  return [baseline, ...candidates].flatMap((id) => catalog.evaluations.get(id)?.key ?? []);
}

function checkEvaluations(
  { baseline, candidates, places, baselinePlace }: CompareGroup,
  { evaluations }: QueryCatalog,
): void {
  const check = (id: string, loc: readonly (string | number)[]) => {
    const known = evaluations.get(id);
    if (known === undefined)
      throw meaningless(
        loc,
        `evaluation ${JSON.stringify(id)} is not in this project; the list of evaluations has those that are`,
      );
    if (known.key === null) throw meaningless(loc, `evaluation ${JSON.stringify(id)} has no trials`);
  };
  check(baseline, baselinePlace);
  for (const [i, id] of candidates.entries()) check(id, places[i] ?? []);
}

/** Reads which values each evaluation has in each score. */
export async function readKinds(
  session: Session,
  plan: Plan,
  summary: SummaryPlan,
): Promise<readonly ScoreSum[]> {
  const found = await session.all(compileSummaryScores(plan, summary));
  const sums = found.flatMap(({ sum }) => (sum === null ? [] : [sum]));
  return withRates(session, plan, summary, await withCounted(session, plan, summary, sums));
}

function reasonOf(candidate: number | undefined, baseline: number | undefined): string | null {
  if (baseline === undefined) return "the baseline has no value";
  return candidate === undefined ? "the candidate has no value" : null;
}

/** The sums and counts of each candidate in each dimension. */
export function comparisonInputs(
  { baseline, candidates }: Pick<CompareGroup, "baseline" | "candidates">,
  catalog: QueryCatalog,
  dimensions: readonly Dimension[],
  said: Said,
  pairs: PairsByPlace,
): ComparisonInput[] {
  const baselineKey = catalog.evaluations.get(baseline)?.key ?? 0;
  return candidates.flatMap((candidate) => {
    const key = catalog.evaluations.get(candidate)?.key ?? 0;
    const presence = pairs.presence(key);
    return dimensions.map((dimension): ComparisonInput => {
      const kind = dimension.kinds.get(key);
      const sums = pairs.sums(key, dimension.path.key);
      const n = sums?.differences.n ?? 0;
      return {
        baseline,
        candidate,
        path: dimension.path.path,
        direction: said(dimension.path, candidate),
        binary: (kind ?? BOOLEAN) === BOOLEAN && dimension.baselineKind === BOOLEAN,
        rate: areRates(dimension, [baselineKey, key]),
        reason: reasonOf(kind, dimension.baselineKind),
        rows: {
          n_only_baseline: presence.onlyBaseline,
          n_only_candidate: presence.onlyCandidate,
          n_edited: presence.edited.count,
          n_missing_baseline: pairs.candidateValues(key, dimension.path.key) - n,
          n_missing_candidate: pairs.baselineValues(key, dimension.path.key) - n,
        },
        sums,
        counted: dimension.counted(key),
        pooled: pairs.pooled === true,
        ...unitOf(dimension.path),
      };
    });
  });
}

/** The inputs with their differences corrected by labels; the same where none are asked for. */
async function correctInputs(
  { session, plan, catalog, comparing, dimensions }: ComparisonContext,
  sums: readonly ScoreSum[],
  inputs: readonly ComparisonInput[],
): Promise<readonly ComparisonInput[]> {
  const { correctedBy, baseline } = comparing;
  if (correctedBy === null) return inputs;
  const human = agreementSide(correctedBy.loc, correctedBy.path, catalog.scorePaths);
  const kinds = kindsAt(human.pathKey, sums);
  const rates = ratesAt(human.pathKey, sums);
  if (kinds.size === 0)
    throw meaningless(correctedBy.loc, `${JSON.stringify(correctedBy.name)} ${NO_NUMBERS}`);
  const keyOf = (id: string) => catalog.evaluations.get(id)?.key ?? 0;
  const isBoolean = (id: string) => (kinds.get(keyOf(id)) ?? BOOLEAN) === BOOLEAN;
  const corrected = new Map<string, (key: number) => CorrectedDifference>();
  for (const { path } of dimensions) {
    const judge = { pathKey: path.key, path: path.path, exponents: path.exponents };
    const found = await session.all(compileDifferenceMoments({ plan, a: human, b: judge, scale: "number" }));
    const byKey = new Map(found.map((one) => [one.moments.evaluationKey, one]));
    corrected.set(dimensionName(path.path), (key) =>
      correctedDifference(byKey.get(key) ?? null, correctedBy.name),
    );
  }
  const correctedAt = ({ path, candidate }: ComparisonInput) => {
    const found = corrected.get(dimensionName(path))?.(keyOf(candidate));
    return found === undefined ? {} : { corrected: found };
  };
  return inputs.map((input) => ({
    ...input,
    binary: isBoolean(baseline) && isBoolean(input.candidate),
    rate: areRates({ kinds, rates }, [keyOf(baseline), keyOf(input.candidate)]),
    ...correctedAt(input),
  }));
}

const NO_NUMBERS = "has no number and no true or false on these evaluations and rows, so it corrects nothing";
