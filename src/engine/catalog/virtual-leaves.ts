import { compileFeedbackTypes } from "../../compile/scores/feedback-scores.ts";
import {
  ALL_ZERO,
  compileValueKinds,
  compileVirtualRanges,
  exponentsAmong,
  type ScoreScope,
} from "../../compile/scores/score-records.ts";
import { BOOLEAN, NUMBER, TEXT } from "../../model/score-kind.ts";
import type { Exponents, VirtualLeaf } from "../../plan/plan.ts";
import type { CatalogPath } from "../../plan/query-catalog.ts";
import {
  checkDerivedNames,
  costLeaf,
  derivedLeaf,
  feedbackLeaves,
  leafFinder,
  MAX_FEEDBACK_TYPES,
  type FeedbackLeaf,
  type ValueKinds,
} from "../../plan/virtual-leaves.ts";
import type { DerivedScore } from "../../request/derived-scores.ts";
import type { EvalRequest } from "../../request/eval-request.ts";
import { leavesOf } from "../../model/score-expression.ts";
import type { Ask } from "./asked-once.ts";

interface ValueRange {
  readonly kinds: ValueKinds;
  readonly exponents: Exponents | null;
}

const NO_KINDS: ValueKinds = { number: false, boolean: false, text: false };

/** Reads the virtual dimensions that a request asks for. Throws `RequestError` on an invalid derived score. */
export async function readVirtualLeaves(
  ask: Ask,
  { derived: scores, ...request }: EvalRequest & { readonly derived: readonly DerivedScore[] },
  stored: readonly CatalogPath[],
  { projectKey, ...scope }: Omit<ScoreScope, "virtualLeaves"> & { readonly projectKey: number },
) {
  if (scores.length === 0 && !request.includeFeedback && request.costDimension === null)
    return { leaves: [], paths: stored };
  checkDerivedNames(scores, stored);
  const feedback = request.includeFeedback
    ? await readFeedbackLeaves(ask, scope.projectId, request, stored)
    : [];
  const given = await readRanges(ask, { ...scope, virtualLeaves: feedback }, feedback);
  const paths = [...stored, ...feedback.map((leaf) => catalogPath(leaf, given))];
  const find = leafFinder(paths, scores);
  const operands = scores.flatMap((score) => leavesOf(score.expression).map((leaf) => find(score, leaf).key));
  const kinds = await readStoredKinds(ask, operands);
  const kindsOf = (key: number) => (key < 0 ? given.get(key)?.kinds : kinds.get(key)) ?? NO_KINDS;
  const derived = scores.map((score, i) => derivedLeaf(score, -1 - feedback.length - i, find, kindsOf));
  const known = [...feedback, ...derived];
  const computed = await readRanges(ask, { ...scope, virtualLeaves: known }, derived);
  const scored = [...paths, ...derived.map((leaf) => catalogPath(leaf, computed))];
  if (request.costDimension === null) return { leaves: known, paths: scored };
  const cost = costLeaf(-1 - known.length, projectKey, request.costDimension, scored);
  const leaves = [...known, cost];
  const costs = await readRanges(ask, { ...scope, virtualLeaves: leaves }, [cost]);
  const path = catalogPath(cost, costs);
  return { leaves, paths: [...scored, { ...path, isCost: true, exponents: path.exponents ?? ALL_ZERO }] };
}

function catalogPath({ key, path }: VirtualLeaf, ranges: ReadonlyMap<number, ValueRange>): CatalogPath {
  const exponents = ranges.get(key)?.exponents ?? null;
  return { key, path, leaf: true, container: false, list: false, exponents };
}

async function readFeedbackLeaves(
  ask: Ask,
  projectId: string,
  { feedbackBy }: EvalRequest,
  stored: readonly CatalogPath[],
): Promise<FeedbackLeaf[]> {
  const found = await ask(compileFeedbackTypes(projectId, MAX_FEEDBACK_TYPES + 1));
  const types = found.map(({ type }) => type);
  return feedbackLeaves(types, feedbackBy, stored);
}

async function readStoredKinds(
  ask: Ask,
  pathKeys: readonly number[],
): Promise<ReadonlyMap<number, ValueKinds>> {
  const keys = [...new Set(pathKeys)].filter((key) => key >= 0);
  const found = keys.length === 0 ? [] : await ask(compileValueKinds(keys));
  return new Map(keys.map((key) => [key, kindsAmong(found.filter(({ pathKey }) => pathKey === key))]));
}

function kindsAmong(found: readonly { readonly kind: number }[]): ValueKinds {
  const kinds = new Set(found.map(({ kind }) => kind));
  return { number: kinds.has(NUMBER), boolean: kinds.has(BOOLEAN), text: kinds.has(TEXT) };
}

/** Reads how large the values of virtual dimensions are, so that they can be summed exactly. */
async function readRanges(
  ask: Ask,
  scope: ScoreScope,
  leaves: readonly VirtualLeaf[],
): Promise<ReadonlyMap<number, ValueRange>> {
  if (leaves.length === 0) return new Map();
  const found = await ask(compileVirtualRanges(scope, leaves));
  return new Map(
    leaves.map(({ key }) => {
      const own = found.filter(({ pathKey }) => pathKey === key);
      return [key, { kinds: kindsAmong(own), exponents: exponentsAmong(own) }];
    }),
  );
}
