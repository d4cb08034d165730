import { compileFeedbackTypes } from "../../compile/scores/feedback-scores.ts";
import {
  ALL_ZERO,
  compileValueKinds,
  compileVirtualRanges,
  exponentsAmong,
  type ScoreScope,
} from "../../compile/scores/score-records.ts";
import { BOOLEAN, NUMBER, TEXT } from "../../model/score-kind.ts";
import { traitsOf } from "../../plan/dimension-traits.ts";
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
import type { DerivedScore } from "../../request/derived-scores.ts";
import type { EvalRequest } from "../../request/eval-request.ts";
import { leavesOf } from "../../model/score-expression.ts";
import { meaningless } from "../../request/meaningless.ts";
import type { Ask } from "./asked-once.ts";
import type { DecideTrials } from "./consensus.ts";
import type { RateRows } from "./difficulty.ts";
import { namedSteps, stepLeaves, type CountSteps } from "./step-leaves.ts";

interface ValueRange {
  readonly kinds: ValueKinds;
  readonly exponents: Exponents | null;
}

const NO_KINDS: ValueKinds = { number: false, boolean: false, text: false };

/** What the dimensions of a family are made from. */
interface Asked extends EvalRequest {
  readonly derived: readonly DerivedScore[];
  readonly projectId: string;
  readonly projectKey: number;
  readonly ask: Ask;
  readonly count: CountSteps;
  readonly decide: DecideTrials;
  /** Virtual dimensions that there are already. */
  readonly leaves: readonly VirtualLeaf[];
  /** Dimensions that are there already, and the ranges of those that are computed. */
  readonly paths: readonly CatalogPath[];
  readonly ranges: ReadonlyMap<number, ValueRange>;
  /** Keys go down from here. */
  readonly firstKey: number;
}

type Family = (asked: Asked) => Promise<readonly VirtualLeaf[]> | readonly VirtualLeaf[];

/** The families of virtual dimensions; each may read those of the families before it. */
const FAMILIES: readonly Family[] = [readFeedbackLeaves, readDerivedLeaves, costLeaves];

/** Reads the virtual dimensions that a request asks for. Throws `RequestError` on an invalid derived score. */
export async function readVirtualLeaves(
  ask: Ask,
  request: EvalRequest & Pick<Asked, "derived">,
  stored: readonly CatalogPath[],
  {
    projectKey,
    count,
    decide,
    rate,
    ...scope
  }: Omit<ScoreScope, "virtualLeaves"> &
    Pick<Asked, "projectKey" | "count" | "decide"> & { readonly rate: RateRows },
) {
  const { projectId } = scope;
  checkDerivedNames(request.derived, stored);
  const leaves: VirtualLeaf[] = [];
  const paths = [...stored];
  const ranges = new Map<number, ValueRange>();
  const steps = await stepLeaves(namedSteps(request, stored), stored, count, -1);
  leaves.push(...steps.leaves);
  const ofSteps = await addRanges(ask, { ...scope, virtualLeaves: leaves }, steps.leaves, ranges);
  const isField = (_path: CatalogPath, i: number) => steps.leaves[i]?.isField === true;
  paths.push(...ofSteps.filter((path, i) => !isField(path, i)));
  for (const family of FAMILIES) {
    const firstKey = -1 - leaves.length;
    const asked = { ...request, projectId, projectKey, ask, count, decide, leaves, paths, ranges, firstKey };
    const more = await family(asked);
    leaves.push(...more);
    paths.push(...(await addRanges(ask, { ...scope, virtualLeaves: leaves }, more, ranges)));
  }
  const ofRows = await rate(ask, request, stored, -1 - leaves.length);
  leaves.push(...ofRows);
  const rowPaths = await addRanges(ask, { ...scope, virtualLeaves: leaves }, ofRows, ranges);
  const undecided = leaves.flatMap((leaf) => (leaf.kind === "consensus" ? leaf.warnings : []));
  const fieldPaths = [...ofSteps.filter(isField), ...rowPaths];
  return { leaves, paths, fieldPaths, warnings: [...steps.warnings, ...undecided] };
}

/** The paths of more leaves, whose ranges are added. */
async function addRanges(
  ask: Ask,
  scope: ScoreScope,
  more: readonly VirtualLeaf[],
  ranges: Map<number, ValueRange>,
): Promise<CatalogPath[]> {
  const found = await readRanges(ask, scope, more);
  for (const [key, range] of found) ranges.set(key, range);
  return more.map((leaf) => catalogPath(leaf, found));
}

function catalogPath(leaf: VirtualLeaf, ranges: ReadonlyMap<number, ValueRange>): CatalogPath {
  const { key, path, kind } = leaf;
  const exponents = ranges.get(key)?.exponents ?? (traitsOf(leaf).isScore ? null : ALL_ZERO);
  return { key, path, kind, leaf: true, container: false, list: false, exponents };
}

async function readFeedbackLeaves(asked: Asked): Promise<readonly VirtualLeaf[]> {
  if (!asked.includeFeedback) return [];
  const found = await asked.ask(compileFeedbackTypes(asked.projectId, MAX_FEEDBACK_TYPES + 1));
  return feedbackLeaves(
    found.map(({ type }) => type),
    asked.feedbackBy,
    asked.paths,
    asked.firstKey,
  );
}

async function readDerivedLeaves(asked: Asked): Promise<readonly VirtualLeaf[]> {
  const { ask, derived, paths, ranges, firstKey } = asked;
  if (derived.length === 0) return [];
  const named = new Set(derived.flatMap(pathsIn).map((path) => JSON.stringify(path)));
  const operands = paths.filter(({ path }) => named.has(JSON.stringify(path)));
  const kinds = await readStoredKinds(
    ask,
    operands.map(({ key }) => key),
  );
  const kindsOf = (key: number) => (key < 0 ? ranges.get(key)?.kinds : kinds.get(key)) ?? NO_KINDS;
  const isBoolean = (key: number) => kindsOf(key).boolean && !kindsOf(key).number;
  const find = leafFinder(paths, derived, kindsOf);
  const leaves: VirtualLeaf[] = [];
  for (const [i, score] of derived.entries()) {
    const key = firstKey - i;
    if ("expression" in score) leaves.push(derivedLeaf(score, key, find, isBoolean));
    else {
      const { of, method } = score.consensus;
      const keys = of.map(({ path, loc }) => find(path, (reason) => meaningless(loc, reason)));
      const valueType = method !== "mean" && keys.every(isBoolean) ? "boolean" : "number";
      const decided = await asked.decide(score, keys, asked.leaves);
      leaves.push({ key, path: [score.name], kind: "consensus", valueType, of: keys, ...decided });
    }
  }
  return leaves;
}

function pathsIn(score: DerivedScore): readonly (readonly string[])[] {
  return "expression" in score
    ? leavesOf(score.expression).map(({ path }) => path)
    : score.consensus.of.map(({ path }) => path);
}

function costLeaves({ costDimension, projectKey, paths, firstKey }: Asked): readonly VirtualLeaf[] {
  return costDimension === null ? [] : [costLeaf(firstKey, projectKey, costDimension, paths)];
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
