import { isByModel, scorePlace } from "../../model/field-path.ts";
import type { QueryCatalog } from "../../plan/query-catalog.ts";
import type { PairAdjustment } from "../../request/compare-request.ts";
import {
  parseCompareRequest,
  type CompareGroup,
  type Comparing,
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
import { PREVIOUS } from "../../request/find-evaluation.ts";
import { labelled, labelledAnswer, nameEvaluations } from "../catalog/named-request.ts";
import { isJsonObject, type JsonObject } from "../../model/json.ts";
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
  const asked = isJsonObject(input) ? withDefaults(input) : input;
  // Whatever is refused in any project is said first.
  parseCompareRequest(asked);
  const given = await nameEvaluations(context, projectId, asked, signal, true);
  const named = await pairWithPrevious(context.store, projectId, given, signal);
  const comparing = parseCompareRequest(named.request, named.previous);
  const { store, comparisons } = context;
  const key = answerKey(projectId, [comparing, named.notes]);
  const now = comparisons === null ? null : await store.epoch();
  const known = now === null ? undefined : comparisons?.find(key, now);
  if (known !== undefined) {
    signal?.throwIfAborted();
    return known;
  }
  const { epoch, answer: plain } = await labelled(named, () =>
    compareNow(context, projectId, comparing.groups, signal),
  );
  const answer = labelledAnswer(named, plain);
  if (epoch !== null) comparisons?.keep(key, epoch, answer);
  return answer;
}

/** Without a baseline, each candidate is compared with the run before; without candidates, the latest evaluation. */
function withDefaults(input: JsonObject): JsonObject {
  if (input["pairs"] != null || isByModel(input["by"])) return input;
  return { ...input, baseline: input["baseline"] ?? PREVIOUS, candidates: input["candidates"] ?? ["latest"] };
}

/** `epoch` is that of the snapshot that was read, null if it is unknown. */
function compareNow(
  context: QueryContext,
  projectId: string,
  groups: Comparing["groups"],
  signal: AbortSignal | undefined,
): Promise<{ readonly epoch: number | null; readonly answer: ComparisonAnswer }> {
  return context.store.read(async (session) => {
    const read: ComparedGroup[] = [];
    for (const group of groups) read.push(await readGroup(session, context, projectId, group));
    const compared = await compareGroups(read, signal);
    const sliced = await compareSlices(session, context, projectId, read, compared.comparisons, signal);
    const warnings = [...sliced.warnings];
    for (const group of read) warnings.push(...(await group.warnings()));
    const changes: Changes[] = [];
    for (const group of read) changes.push(...(await group.facts()).changes);
    const notes = read.flatMap((group) => group.notes ?? []);
    const told = read.some((group) => group.notes !== null) ? { notes: distinct(notes) } : {};
    return {
      epoch: session.epoch,
      answer: { ...compared, ...sliced, changes, warnings: distinct(warnings), ...told },
    };
  }, signal);
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

/** Computes the comparisons of all groups as one family or, where the baseline is the best, adjusted for all pairs. */
async function compareGroups(
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
