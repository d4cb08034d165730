import { isJsonObject, writeJson, type Json } from "../model/json.ts";

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
const COMPARISONS: Readonly<Record<string, string>> = {
  $eq: "=",
  $gt: ">",
  $gte: "≥",
  $lt: "<",
  $lte: "≤",
};
/** What only the box of JSON can show. */
const UNREADABLE = "a condition that is not understood";

function conditionWords(condition: Json | undefined): string {
  const [name, operand] = isJsonObject(condition) ? (Object.entries(condition)[0] ?? []) : [];
  const parts = Array.isArray(operand)
    ? (operand as readonly Json[])
    : operand === undefined
      ? []
      : [operand];
  const [left, right] = parts;
  switch (name ?? "") {
    case "$and":
    case "$or":
      return parts.length === 1
        ? operandWords(left)
        : parts.map(joinedWords).join(name === "$or" ? " or " : " and ");
    case "$not":
      return negated(left);
    case "$in": {
      const options = Array.isArray(right) ? (right as readonly Json[]) : [];
      return `${operandWords(left)} is one of ${options.map(operandWords).join(", ")}`;
    }
    case "$contains":
    case "$regex": {
      if (!isJsonObject(left)) return UNREADABLE;
      const [verb, text] = name === "$regex" ? ["matches", left["pattern"]] : ["contains", left["substr"]];
      return `${operandWords(left["input"])} ${verb} ${operandWords(text)}`;
    }
    default: {
      const sign = COMPARISONS[name ?? ""];
      if (sign === undefined) return UNREADABLE;
      return isNull(right) && sign === "="
        ? `${operandWords(left)} is missing`
        : `${operandWords(left)} ${sign} ${operandWords(right)}`;
    }
  }
}

function negated(condition: Json | undefined): string {
  const equal = isJsonObject(condition) ? condition["$eq"] : undefined;
  if (!Array.isArray(equal)) return `not (${operandWords(condition)})`;
  const [left, right] = equal as readonly Json[];
  return isNull(right) ? `${operandWords(left)} is there` : `${operandWords(left)} ≠ ${operandWords(right)}`;
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
