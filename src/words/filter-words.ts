import { isJsonObject, writeJson, type Json } from "../model/json.ts";
import type { Operator } from "../request/operators.ts";

/** A filter of a request in words: `inputs.topic = law`, `scores.correct > 0.5, all trials of sums`. */
export function filterWords(filter: unknown, nameOf: (evaluation: string) => string): string {
  const { query, quantifier, evaluation_call_id: evaluation } = isJsonObject(filter) ? filter : {};
  const condition = conditionWords(isJsonObject(query) ? query["$expr"] : undefined);
  const trials = (typeof quantifier === "string" ? TRIALS[quantifier] : undefined) ?? "";
  if (typeof evaluation !== "string") return trials === "" ? condition : `${condition}, ${trials}`;
  return `${condition}, ${trials === "" ? "any trial" : trials} of ${nameOf(evaluation)}`;
}

/** `true`, `false` and numbers as what they are; all else, and what stands in quotes, is text. */
export function literalOf(value: string): string | number | boolean {
  if (value === "true" || value === "false") return value === "true";
  if (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value)) return Number(value);
  const [, quoted] = /^"(.*)"$/s.exec(value) ?? [];
  return quoted ?? value;
}

/** What `literalOf` reads as this value. */
export function literalText(value: string | number | boolean): string {
  return typeof value === "string" && literalOf(value) !== value ? `"${value}"` : String(value);
}

const TRIALS: Readonly<Record<string, string>> = {
  all: "all trials",
  first: "the first trial",
  mean: "the mean of trials",
};
/** What only the box of JSON can show. */
const UNREADABLE = "a condition that is not understood";

/** How each operator is said of its operands. */
const WORDS: { readonly [Name in Operator]: (operands: readonly Json[]) => string } = {
  $and: (parts) => joinedBy(parts, " and "),
  $or: (parts) => joinedBy(parts, " or "),
  $not: ([condition]) => negated(condition),
  $eq: ([left, right]) => (isNull(right) ? `${operandWords(left)} is missing` : compared(left, "=", right)),
  $gt: ([left, right]) => compared(left, ">", right),
  $gte: ([left, right]) => compared(left, "≥", right),
  $lt: ([left, right]) => compared(left, "<", right),
  $lte: ([left, right]) => compared(left, "≤", right),
  $in: ([left, right]) => {
    const options = Array.isArray(right) ? (right as readonly Json[]) : [];
    return `${operandWords(left)} is one of ${options.map(operandWords).join(", ")}`;
  },
  $contains: ([operand]) => searched(operand, "contains", "substr"),
  $regex: ([operand]) => searched(operand, "matches", "pattern"),
};

function conditionWords(condition: Json | undefined): string {
  const [name = "", operand] = isJsonObject(condition) ? (Object.entries(condition)[0] ?? []) : [];
  if (!isOperator(name)) return UNREADABLE;
  if (Array.isArray(operand)) return WORDS[name](operand as readonly Json[]);
  return WORDS[name](operand === undefined ? [] : [operand]);
}

function isOperator(name: string): name is Operator {
  return Object.hasOwn(WORDS, name);
}

function joinedBy(parts: readonly Json[], word: string): string {
  return parts.length === 1 ? operandWords(parts[0]) : parts.map(joinedWords).join(word);
}

function compared(left: Json | undefined, sign: string, right: Json | undefined): string {
  return `${operandWords(left)} ${sign} ${operandWords(right)}`;
}

function searched(operand: Json | undefined, verb: string, member: "substr" | "pattern"): string {
  return isJsonObject(operand)
    ? `${operandWords(operand["input"])} ${verb} ${operandWords(operand[member])}`
    : UNREADABLE;
}

function negated(condition: Json | undefined): string {
  const equal = isJsonObject(condition) ? condition["$eq"] : undefined;
  if (!Array.isArray(equal)) return `not (${operandWords(condition)})`;
  const [left, right] = equal as readonly Json[];
  return isNull(right) ? `${operandWords(left)} is there` : compared(left, "≠", right);
}

/** A part of a list of conditions; a list in a list stands in parentheses. */
function joinedWords(operand: Json): string {
  const words = operandWords(operand);
  return isJsonObject(operand) && ("$and" in operand || "$or" in operand) ? `(${words})` : words;
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : writeJson(value ?? null);
}

function isNull(operand: Json | undefined): boolean {
  return isJsonObject(operand) && operand["$literal"] === null;
}

function operandWords(operand: Json | undefined): string {
  if (!isJsonObject(operand)) return UNREADABLE;
  const { $getField: field, $literal: literal, $convert: convert } = operand;
  if (typeof field === "string") return field;
  if (isJsonObject(convert)) return `${operandWords(convert["input"])} as ${textOf(convert["to"])}`;
  if (literal === undefined) return conditionWords(operand);
  const isPlain = typeof literal === "string" || typeof literal === "number" || typeof literal === "boolean";
  return isPlain ? literalText(literal) : writeJson(literal);
}
