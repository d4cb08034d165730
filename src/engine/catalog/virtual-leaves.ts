import { compileFeedbackTypes } from "../../compile/scores/feedback-scores.ts";
import {
  ALL_ZERO,
  compileValueKinds,
  compileVirtualRanges,
  exponentsAmong,
  type PlaceKind,
  type ScoreScope,
} from "../../compile/scores/score-records.ts";
import { BOOLEAN, NUMBER, TEXT } from "../../model/score-kind.ts";
import type { Session } from "../../store/session.ts";
import type { Exponents, VirtualLeaf } from "../../plan/plan.ts";
import type { CatalogPath } from "../../plan/query-catalog.ts";
import {
  checkDerivedNames,
  costLeaf,
  derivedLeaf,
  feedbackLeaves,
  leafFinder,
  MAX_FEEDBACK_TYPES,
  type ValueKinds,
} from "../../plan/virtual-leaves.ts";
import { parseDerivedScores } from "../../request/derived-scores.ts";
import type { EvalRequest } from "../../request/eval-request.ts";
import { leavesOf } from "../../request/score-expression.ts";

/** Facts about the values of a project, read since the last write. */
export interface VirtualCache {
  feedbackTypes: readonly string[] | null;
  readonly storedKinds: Map<number, ValueKinds>;
  /** Keyed by the scope and the dimensions asked for, as JSON. */
  readonly ranges: Map<string, ReadonlyMap<number, ValueRange>>;
}

export function createVirtualCache(): VirtualCache {
  return { feedbackTypes: null, storedKinds: new Map(), ranges: new Map() };
}

interface ValueRange {
  readonly kinds: ValueKinds;
  readonly exponents: Exponents | null;
}

interface VirtualCatalog {
  readonly leaves: readonly VirtualLeaf[];
  readonly paths: readonly CatalogPath[];
}

const NO_KINDS: ValueKinds = { number: false, boolean: false, text: false };
const CACHED_RANGES = 100;

/** Reads the virtual dimensions that a request asks for. Throws `RequestError` on an invalid derived score. */
export async function readVirtualLeaves(
  session: Session,
  cache: VirtualCache,
  request: EvalRequest,
  stored: readonly CatalogPath[],
  { projectKey, ...scope }: Omit<ScoreScope, "virtualLeaves"> & { readonly projectKey: number },
): Promise<VirtualCatalog> {
  const scores = await parseDerivedScores(request.derivedScores);
  checkDerivedNames(scores, stored);
  const types = request.includeFeedback ? await readFeedbackTypes(session, cache, scope.projectId) : [];
  const feedback = request.includeFeedback ? feedbackLeaves(types, request.feedbackBy, stored) : [];
  const given = await readRanges(session, cache, { ...scope, virtualLeaves: feedback }, feedback);
  const paths = [...stored, ...feedback.map((leaf) => catalogPath(leaf, given))];
  const find = leafFinder(paths, scores);
  const operands = scores.flatMap((score) => leavesOf(score.expression).map((leaf) => find(score, leaf).key));
  const kinds = await readStoredKinds(session, cache, operands);
  const kindsOf = (key: number) => (key < 0 ? given.get(key)?.kinds : kinds.get(key)) ?? NO_KINDS;
  const derived = scores.map((score, i) => derivedLeaf(score, -1 - feedback.length - i, find, kindsOf));
  const known = [...feedback, ...derived];
  const computed = await readRanges(session, cache, { ...scope, virtualLeaves: known }, derived);
  const scored = [...paths, ...derived.map((leaf) => catalogPath(leaf, computed))];
  if (request.costDimension === null) return { leaves: known, paths: scored };
  const cost = costLeaf(-1 - known.length, projectKey, request.costDimension, scored);
  const leaves = [...known, cost];
  const costs = await readRanges(session, cache, { ...scope, virtualLeaves: leaves }, [cost]);
  const path = catalogPath(cost, costs);
  return { leaves, paths: [...scored, { ...path, isCost: true, exponents: path.exponents ?? ALL_ZERO }] };
}

function catalogPath({ key, path }: VirtualLeaf, ranges: ReadonlyMap<number, ValueRange>): CatalogPath {
  const exponents = ranges.get(key)?.exponents ?? null;
  return { key, path, leaf: true, container: false, list: false, exponents };
}

async function readFeedbackTypes(
  session: Session,
  cache: VirtualCache,
  projectId: string,
): Promise<readonly string[]> {
  cache.feedbackTypes ??= (await session.all(compileFeedbackTypes(projectId, MAX_FEEDBACK_TYPES + 1))).map(
    ({ type }) => type,
  );
  return cache.feedbackTypes;
}

async function readStoredKinds(
  session: Session,
  cache: VirtualCache,
  pathKeys: readonly number[],
): Promise<ReadonlyMap<number, ValueKinds>> {
  const unread = [...new Set(pathKeys)].filter((key) => key >= 0 && !cache.storedKinds.has(key));
  if (unread.length === 0) return cache.storedKinds;
  const found = await session.all(compileValueKinds(unread));
  for (const key of unread)
    cache.storedKinds.set(key, kindsAmong(found.filter(({ pathKey }) => pathKey === key)));
  return cache.storedKinds;
}

function kindsAmong(found: readonly PlaceKind[]): ValueKinds {
  const kinds = new Set(found.map(({ kind }) => kind));
  return { number: kinds.has(NUMBER), boolean: kinds.has(BOOLEAN), text: kinds.has(TEXT) };
}

/** Reads how large the values of virtual dimensions are, so that they can be summed exactly. */
async function readRanges(
  session: Session,
  cache: VirtualCache,
  scope: ScoreScope,
  leaves: readonly VirtualLeaf[],
): Promise<ReadonlyMap<number, ValueRange>> {
  if (leaves.length === 0) return new Map();
  const asked = JSON.stringify([scope, leaves.map(({ key }) => key)]);
  const known = cache.ranges.get(asked);
  if (known !== undefined) return known;
  const found = await session.all(compileVirtualRanges(scope, leaves));
  const ranges = new Map(
    leaves.map(({ key }) => {
      const own = found.filter(({ pathKey }) => pathKey === key);
      return [key, { kinds: kindsAmong(own), exponents: exponentsAmong(own) }];
    }),
  );
  if (cache.ranges.size >= CACHED_RANGES) cache.ranges.clear();
  cache.ranges.set(asked, ranges);
  return ranges;
}
