import { RequestError, requestFault } from "../errors.ts";
import type { FeedbackBy } from "../request/eval-request.ts";
import { derivedScoreError, type ComputedScore, type DerivedScore } from "../request/derived-scores.ts";
import { ExpressionFault } from "../request/expression-tokens.ts";
import type { PriceList } from "../request/wire.ts";
import { mapLeaves, type NamedLeaf, type ScoreExpression } from "../model/score-expression.ts";
import type { KeyedNumbers, VirtualLeaf } from "./plan.ts";
import type { CatalogPath } from "./query-catalog.ts";

/** The kinds of values that a score dimension has. */
export interface ValueKinds {
  readonly number: boolean;
  readonly boolean: boolean;
  readonly text: boolean;
}

export type FeedbackLeaf = VirtualLeaf & { readonly kind: "feedback" };
export type DerivedLeaf = VirtualLeaf & { readonly kind: "derived" };

const FEEDBACK = "feedback";

/** More types are refused: each is a dimension of every answer. */
export const MAX_FEEDBACK_TYPES = 1000;

/** A dimension for each feedback type. Throws `RequestError` on too many types, and on a scorer named `feedback`. */
export function feedbackLeaves(
  types: readonly string[],
  by: FeedbackBy,
  stored: readonly CatalogPath[],
  firstKey: number,
): FeedbackLeaf[] {
  if (types.length > MAX_FEEDBACK_TYPES) {
    const msg = `this project has more than ${MAX_FEEDBACK_TYPES} types of feedback with numbers or booleans`;
    throw requestFault("meaning", ["include_feedback"], msg, "too_many");
  }
  if (stored.some(({ path }) => path[0] === FEEDBACK)) {
    const msg = "this project has scores of a scorer named feedback, with which they would mix";
    throw requestFault("meaning", ["include_feedback"], msg, "name_taken");
  }
  return types.map((feedbackType, i) => ({
    key: firstKey - i,
    path: [FEEDBACK, feedbackType],
    kind: "feedback",
    feedbackType,
    by,
  }));
}

/** Throws `RequestError` where a derived score has the name of a scorer of the project, or the name `feedback`. */
export function checkDerivedNames(scores: readonly DerivedScore[], stored: readonly CatalogPath[]): void {
  const taken = new Set([FEEDBACK, ...stored.map(({ path }) => path[0])]);
  const issues = scores
    .filter(({ name }) => taken.has(name))
    .map(({ name }) => ({
      loc: ["derived_scores", name],
      msg: `the name ${JSON.stringify(name)} is taken by a scorer of this project`,
      type: "name_taken",
    }));
  const [first, ...rest] = issues;
  if (first !== undefined) throw new RequestError("meaning", [first, ...rest]);
}

/** The dimension of what trials cost: `cost`, and `evalcube.cost` where a scorer has that name. */
export function costLeaf(
  key: number,
  projectKey: number,
  prices: PriceList,
  taken: readonly CatalogPath[],
): VirtualLeaf {
  const isTaken = taken.some(({ path }) => path[0] === COST);
  return { kind: "cost", key, path: isTaken ? [OWN_SCORER, COST] : [COST], projectKey, prices };
}

const COST = "cost";
const OWN_SCORER = "evalcube";
const STEPS = "steps";

/** What names of dimensions of steps begin with; the second where a scorer has the name of the first. */
export const STEP_PREFIXES = [[STEPS], [OWN_SCORER, STEPS]] as const;

/** What names of what is known of rows begin with. */
export const ROW_PREFIX: readonly string[] = [OWN_SCORER, "row"];

/** What names a dimension of steps below these, where a scorer is called `steps` or not; null for another one. */
export function stepSegments(path: readonly string[], isTaken: boolean): readonly string[] | null {
  if (path[0] === OWN_SCORER && path[1] === STEPS) return path.slice(2);
  return path[0] === STEPS && !isTaken ? path.slice(1) : null;
}

/** The dimension of what steps count. */
export function stepLeaf(
  key: number,
  segments: readonly string[],
  numbers: KeyedNumbers,
  { isTaken, isField }: { readonly isTaken: boolean; readonly isField: boolean },
): VirtualLeaf {
  const kind = FAULTS.has(segments.at(-1) ?? "") ? "faults" : "steps";
  return { kind, key, path: [...STEP_PREFIXES[isTaken ? 1 : 0], ...segments], numbers, isField };
}

/** What there is better less of. */
const FAULTS: ReadonlySet<string> = new Set(["errors", "tool_errors", "repeats"]);

export function hasStepsScorer(stored: readonly CatalogPath[]): boolean {
  return stored.some(({ path, kind }) => path[0] === STEPS && kind === undefined);
}

/** Finds the dimension of numbers that a derived score names. Throws what `refuse` makes of a reason. */
type FindLeaf = (path: readonly string[], refuse: (reason: string) => Error) => number;

export function leafFinder(
  paths: readonly CatalogPath[],
  scores: readonly DerivedScore[],
  kindsOf: (pathKey: number) => ValueKinds,
): FindLeaf {
  const byPath = new Map(paths.map((one) => [JSON.stringify(one.path), one]));
  return (path, refuse) => {
    const found = byPath.get(JSON.stringify(path));
    if (found?.leaf !== true) throw refuse(whyNone(path, found, paths, scores));
    const kinds = kindsOf(found.key);
    if (kinds.text && !kinds.number && !kinds.boolean)
      throw refuse(`${leafName(path)} is text, no number or boolean`);
    return found.key;
  };
}

function whyNone(
  path: readonly string[],
  found: CatalogPath | undefined,
  paths: readonly CatalogPath[],
  scores: readonly DerivedScore[],
): string {
  const name = leafName(path);
  if (path.length === 1 && scores.some((one) => one.name === path[0])) {
    return `${name} is a derived score itself; derived scores are made of others`;
  }
  const known = paths.filter((one) => one.leaf);
  const below = known.filter((one) => path.every((part, i) => one.path[i] === part));
  if (found !== undefined && below.length > 0) return `${name} is an object; below it are ${listed(below)}`;
  if (found !== undefined) return `${name} is never a number or boolean: it is a list, empty or null`;
  return `there is no score ${name}; this project has ${known.length === 0 ? "none" : listed(known)}`;
}

const LISTED = 10;

function listed(paths: readonly CatalogPath[]): string {
  const names = paths.slice(0, LISTED).map(({ path }) => leafName(path));
  const rest = paths.length - names.length;
  return names.join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

/** Writes the name of a dimension as in an expression. */
function leafName([root = "", ...members]: readonly string[]): string {
  const plain = /^[A-Za-z_]\w*$/;
  const rest = members.map((part) => (plain.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`)).join("");
  return plain.test(root) ? root + rest : `scores[${JSON.stringify(root)}]${rest}`;
}

/** Makes the dimension of an expression. Throws `RequestError` where it reads one that has only texts. */
export function derivedLeaf(
  { name, expression: named }: ComputedScore,
  key: number,
  find: FindLeaf,
  isBoolean: (pathKey: number) => boolean,
): DerivedLeaf {
  const expression = mapLeaves(named, ({ path, position }: NamedLeaf) =>
    find(path, (reason) => derivedScoreError(name, new ExpressionFault(reason, position))),
  );
  const valueType = isTruth(expression, isBoolean) ? "boolean" : "number";
  return { key, path: [name], kind: "derived", valueType, expression };
}

/** Whether all values of the expression are true or false. */
function isTruth(expression: ScoreExpression<number>, isBoolean: (pathKey: number) => boolean): boolean {
  switch (expression.kind) {
    case "constant":
      return typeof expression.value === "boolean";
    case "leaf":
      return isBoolean(expression.leaf);
    case "compare":
    case "and":
    case "or":
    case "not":
      return true;
    case "condition":
      return isTruth(expression.whenTrue, isBoolean) && isTruth(expression.whenFalse, isBoolean);
    case "signed":
    case "arithmetic":
    case "call":
      return false;
  }
}
