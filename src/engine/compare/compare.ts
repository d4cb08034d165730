import { scorePlace } from "../../model/field-path.ts";
import type { QueryCatalog } from "../../plan/query-catalog.ts";
import type { PairAdjustment } from "../../request/compare-request.ts";
import {
  compareGroups,
  comparisonWithIds,
  parseCompareRequest,
  type CompareGroup,
} from "../../request/parse-compare-request.ts";
import type { ComparisonAnswer, ScoreRank } from "../../respond/compare/comparison.ts";
import { adjustingBy, compareAll } from "../../respond/compare/compare-all.ts";
import type { Changes } from "../../respond/compare/changes.ts";
import { meanDifference } from "../../respond/compare/pair-sums.ts";
import type { Dimension } from "../../respond/compare/dimensions.ts";
import type { OrderedDimension } from "./boards.ts";
import { rankAll, type Ranking } from "./rank-all.ts";
import { compareSlices } from "./slices.ts";
import { readGroup, type ComparedGroup } from "./read-group.ts";
import { checkQuery } from "../../flow/check-options.ts";
import type { QueryContext } from "../base/context.ts";
import type { Session } from "../../store/session.ts";
import { refuseUnknown } from "../../request/resolve-names.ts";
import { labelled, labelledAnswer, nameEvaluations } from "../catalog/named-request.ts";
import { pairWithPrevious } from "./previous.ts";
import { answerKey } from "../base/answer-cache.ts";
import type { QueryOptions } from "../query/query.ts";

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
  const asked = parseCompareRequest(input);
  const { store, comparisons } = context;
  // In one epoch a name stands for one evaluation.
  const key = answerKey(projectId, asked);
  const now = comparisons === null ? null : await store.epoch();
  const known = now === null ? undefined : comparisons?.find(key, now);
  if (known !== undefined) {
    signal?.throwIfAborted();
    return JSON.parse(known) as ComparisonAnswer;
  }
  return store.read(async (session) => {
    const given = await nameEvaluations(
      session,
      context.catalogs,
      projectId,
      { input, asked },
      comparisonWithIds,
      refuseUnknown,
    );
    const named = asked.isWithPrevious ? await pairWithPrevious(session, projectId, given) : given;
    const groups = compareGroups(named.request);
    const plain = await labelled(named, () => compareNow(session, context, projectId, groups, signal));
    const answer = labelledAnswer(named, plain);
    if (session.epoch !== null) comparisons?.keep(key, session.epoch, JSON.stringify(answer));
    return answer;
  }, signal);
}

async function compareNow(
  session: Session,
  context: QueryContext,
  projectId: string,
  groups: readonly CompareGroup[],
  signal: AbortSignal | undefined,
): Promise<ComparisonAnswer> {
  const read: ComparedGroup[] = [];
  for (const group of groups) read.push(await readGroup(session, context, projectId, group));
  const compared = await adjustGroups(read, signal);
  const sliced = await compareSlices(session, context, projectId, read, compared.comparisons, signal);
  const warnings = [...sliced.warnings];
  for (const group of read) warnings.push(...(await group.warnings()));
  const changes: Changes[] = [];
  for (const group of read) changes.push(...(await group.facts()).changes);
  const notes = [...read.map((group) => group.notes), sliced.notes ?? null].filter((one) => one !== null);
  const told = notes.length === 0 ? {} : { notes: distinct(notes.flat()) };
  return { ...compared, ...sliced, changes, warnings: distinct(warnings), ...told };
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

/** Computes the comparisons of all groups as one family or, where the baseline is the best, adjusted for all pairs. */
async function adjustGroups(
  groups: readonly ComparedGroup[],
  signal: AbortSignal | undefined,
): Promise<Omit<ComparisonAnswer, "warnings" | "changes">> {
  const inputs = groups.flatMap((group) => group.inputs);
  const [first] = groups;
  if (first === undefined) throw new TypeError("a comparison has a baseline");
  const { comparing, catalog, dimensions } = first.context;
  const { confidence, adjust, margin } = comparing;
  const ranking = comparing.ranking === null ? null : await rankCompared(first, comparing.ranking, signal);
  const adjusting = ranking?.adjusting(inputs) ?? adjustingBy(adjust, confidence);
  const { familySize, comparisons } = await compareAll(
    inputs,
    { confidence, margin, adjusting, alone: adjust },
    signal,
  );
  return {
    confidence,
    adjust: comparing.ranking ?? adjust,
    family_size: familySize,
    comparisons,
    ranks: ranking === null ? null : scoreRanks(comparing, catalog, dimensions, ranking),
  };
}

/** Ranks the evaluations of each dimension, ordered by their differences to the baseline. */
function rankCompared(
  { context, inputs }: ComparedGroup,
  adjust: PairAdjustment,
  signal: AbortSignal | undefined,
): Promise<Ranking> {
  const { session, plan, catalog, comparing, dimensions, pairs, narrowed, pool } = context;
  const [baseline = 0, ...candidates] = plan.evaluationKeys;
  const ordered = dimensions.flatMap((dimension): OrderedDimension[] => {
    if (!dimension.kinds.has(baseline)) return [];
    const own = inputs.filter(({ path }) => path === dimension.path.path);
    const said = own.map((one) => one.direction).find((one) => one !== null);
    const isPass = own.every(({ binary, rate }) => binary || rate === true);
    const direction = said ?? (isPass ? "higher" : null);
    const gains = candidates.flatMap((key) => {
      const sums = pairs.sums(key, dimension.path.key);
      if (sums === null) return [];
      const difference = meanDifference(sums);
      return [{ key, gain: direction === "lower" ? -difference : difference }];
    });
    const order = [{ key: baseline, gain: 0 }, ...gains].toSorted((a, b) => b.gain - a.gain);
    return [{ ...dimension, direction, order: order.map(({ key }) => key) }];
  });
  const { confidence } = comparing;
  const { clusterBy } = comparing.request;
  const withBaseline = (key: number, path: number) => pairs.sums(key, path);
  const scope = { plan, narrowing: narrowed, catalog, clusterBy, pool, baseline, withBaseline };
  return rankAll(session, { ...scope, adjust, confidence }, ordered, signal);
}

function scoreRanks(
  { baseline, candidates }: CompareGroup,
  catalog: QueryCatalog,
  dimensions: readonly Dimension[],
  ranking: Ranking,
): ScoreRank[] {
  return dimensions.flatMap(({ path }) =>
    [baseline, ...candidates].flatMap((id): ScoreRank[] => {
      const rank = ranking.rank(path.key, catalog.evaluations.get(id)?.key ?? 0);
      return rank === null ? [] : [{ evaluation_call_id: id, ...scorePlace(path.path), ...rank }];
    }),
  );
}
