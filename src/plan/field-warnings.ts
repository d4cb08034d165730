import { fieldText } from "../model/field-path.ts";
import { didYouMean, nearestWords } from "../model/nearest.ts";
import { BOOLEAN, NUMBER, TEXT } from "../model/score-kind.ts";
import { fieldName, type FieldComparison, type ComparisonOperator, type FieldUse } from "./field-uses.ts";
import { nameText } from "../model/name-text.ts";

/** A kind of values that a dimension has in the requested evaluations. */
export interface LeafKind {
  readonly kind: number;
  /** Whether a value of this kind reads as a number. */
  readonly numeric: boolean;
  /** Whether a text of this kind is `true` or `false`. */
  readonly truth: boolean;
}

const SUGGESTED = 5;

/**
 * The paths that a missing one may stand for, best first: those with the same letters and other dots; those spelt
 * nearly alike or with the same last name, else all; where two are as good, in the order of their texts.
 */
export function meantPaths(
  segments: readonly string[],
  known: readonly (readonly string[])[],
): { readonly dotted: readonly (readonly string[])[]; readonly near: readonly (readonly string[])[] } {
  const wanted = segments.join(".");
  const inOrder = known.toSorted((a, b) => (fieldText(a) < fieldText(b) ? -1 : 1));
  const dotted = inOrder.filter((path) => path.length !== segments.length && path.join(".") === wanted);
  const byText = new Map(inOrder.map((path) => [fieldText(path), path]));
  byText.delete(fieldText(segments));
  const last = segments.at(-1)?.toLowerCase();
  const spelt = nearestWords(fieldText(segments), byText.keys(), 2 * SUGGESTED);
  const ending = [...byText].filter(([, path]) => path.at(-1)?.toLowerCase() === last).map(([text]) => text);
  const alike = [...new Set([...spelt, ...ending])];
  const near = (alike.length > 0 ? alike : [...byText.keys()]).slice(0, 2 * SUGGESTED);
  return { dotted, near: near.flatMap((text) => [byText.get(text) ?? []]) };
}

/** The warning about a field that nothing has. */
export function missingField(
  { part, field }: Pick<FieldUse, "part" | "field">,
  dotted: readonly (readonly string[])[],
  near: readonly (readonly string[])[],
): string {
  const names = (paths: readonly (readonly string[])[]) =>
    paths
      .slice(0, SUGGESTED)
      .map((segments) => nameText(fieldName({ ...field, segments })))
      .join(", ");
  const noun = field.root === "inputs" ? "row" : "trial";
  const said = `${part}: no ${noun} of the requested evaluations has ${nameText(fieldName(field))}`;
  if (dotted.length > 0) return `${said}; a dot inside of a name is written \\. : ${names(dotted)}`;
  return near.length > 0 ? `${said}; there are ${names(near)}` : said;
}

const MISSING = /^(\w+): (no \w+ (?:of the requested evaluations )?has ([^;]+))(?:; (?:there are )?(.*))?$/s;

/** What an error says of a field of `part` that nothing has, by its warning; null where that is of something else. */
export function missingText(warning: string, part: string): string | null {
  const [, own, said, name = "", rest = ""] = MISSING.exec(warning) ?? [];
  if (own !== part || said === undefined) return null;
  const near = didYouMean(name, rest.split(", "));
  return `${said}${near || warning.slice(`${own}: ${said}`.length)}`;
}

/** The warning about a field that no row has, and trials do, at this path of their outputs. */
export function heldByTrials(
  { part, field }: Pick<FieldUse, "part" | "field">,
  path: readonly string[],
): string {
  const own = nameText(fieldName({ root: "output", segments: path }));
  return `${part}: no row has ${nameText(fieldText(field.segments))}; trials do: ${own}`;
}

/** The warning about a comparison that holds for no value of these kinds; null where it may hold. */
export function unfulfilled(use: FieldUse, kinds: readonly LeafKind[]): string | null {
  const one = use.comparisons.find((comparison) => !kinds.some((kind) => mayHold(comparison, kind)));
  if (one === undefined || kinds.length === 0) return null;
  const texts = one.constants.slice(0, SUGGESTED).map((constant) => JSON.stringify(constant));
  const wanted = `${texts.length > 1 ? "any of " : ""}${texts.join(", ")}`;
  const { is, compare } = wordsOf(kinds);
  return `${use.part}: ${nameText(fieldName(use.field))} is ${is} in each trial of the requested evaluations that has it, and never ${OPERATOR_WORDS[one.operator]} ${wanted}; compare it with ${compare}`;
}

const OPERATOR_WORDS: { readonly [Operator in ComparisonOperator]: string } = {
  $eq: "equal to",
  $gt: "greater than",
  $gte: "at least",
  $lt: "less than",
  $lte: "at most",
};

function wordsOf(kinds: readonly LeafKind[]): { readonly is: string; readonly compare: string } {
  const has = (kind: number) => kinds.some((one) => one.kind === kind);
  const words = [
    ...(has(NUMBER) ? ["a number"] : []),
    ...(has(TEXT) ? ["a text"] : []),
    ...(has(BOOLEAN) ? ["true or false"] : []),
  ].join(", ");
  return { is: words, compare: words };
}

function mayHold({ operator, constants }: FieldComparison, kind: LeafKind): boolean {
  return constants.some((constant) => mayFit(operator, constant, kind));
}

/** Whether a value of this kind may fit; the constant decides how it is read. */
function mayFit(
  operator: ComparisonOperator,
  constant: string | number | boolean,
  { kind, numeric, truth }: LeafKind,
): boolean {
  if (typeof constant === "string") {
    if (kind === TEXT) return true;
    if (kind === BOOLEAN) return ["true", "false"].some((value) => fits(operator, value, constant));
    return operator !== "$eq" || (constant.trim() !== "" && Number.isFinite(Number(constant)));
  }
  if (kind === BOOLEAN) return [0, 1].some((value) => fits(operator, value, Number(constant)));
  if (kind === NUMBER) return true;
  return typeof constant === "number" ? numeric : truth || numeric;
}

function fits<T extends string | number>(operator: ComparisonOperator, value: T, constant: T): boolean {
  switch (operator) {
    case "$eq":
      return value === constant;
    case "$gt":
      return value > constant;
    case "$gte":
      return value >= constant;
    case "$lt":
      return value < constant;
    case "$lte":
      return value <= constant;
  }
}
