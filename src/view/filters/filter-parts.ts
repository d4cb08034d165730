import { isJsonObject, parseJson, writeJson, type Json, type JsonObject } from "../../model/json.ts";
import type { Filter } from "../../request/eval-results-request.ts";

/** A filter as the form says it. */
export interface FilterPart {
  readonly field: string;
  readonly operator: OperatorName;
  /** As it is typed; empty where the operator takes none. */
  readonly value: string;
  readonly quantifier: Quantifier;
  /** Id of the evaluation whose trials are tested; null: those of all. */
  readonly evaluation: string | null;
}

type Quantifier = (typeof QUANTIFIERS)[number];
type OperatorName = (typeof OPERATORS)[number];

export const QUANTIFIERS = ["any", "all", "first", "mean"] as const;
export const OPERATORS = ["=", "≠", ">", "≥", "<", "≤", "contains", "is missing"] as const;

const COMPARISONS = { "=": "$eq", ">": "$gt", "≥": "$gte", "<": "$lt", "≤": "$lte" } as const;

/** Members of the request, of which the service says whether they are filters; or why the text is no list. */
export function readFilters(
  text: string,
): { readonly filters: readonly Filter[] } | { readonly error: string } {
  if (text.trim() === "") return { filters: [] };
  try {
    const value: unknown = parseJson(text);
    if (Array.isArray(value)) return { filters: value as readonly Filter[] };
    return { error: "filters is a list: [ … ]" };
  } catch (error) {
    return { error: `This is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

export function writeFilters(filters: readonly Filter[]): string {
  return filters.length === 0 ? "" : writeJson(filters);
}

/** The filter of the request that the form means. */
export function filterOf({ field, operator, value, quantifier, evaluation }: FilterPart): Filter {
  return {
    query: { $expr: conditionOf(field, operator, value) },
    ...(evaluation === null ? {} : { evaluation_call_id: evaluation }),
    ...(quantifier === "any" ? {} : { quantifier }),
  };
}

type Condition = Filter["query"]["$expr"];

function conditionOf(field: string, operator: OperatorName, value: string): Condition {
  const get = { $getField: field };
  if (operator === "is missing") return { $eq: [get, { $literal: null }] };
  if (operator === "contains")
    return { $contains: { input: get, substr: { $literal: value }, case_insensitive: true } };
  const literal = { $literal: literalOf(value) };
  if (operator === "≠") return { $not: [{ $eq: [get, literal] }] };
  switch (operator) {
    case "=":
      return { $eq: [get, literal] };
    case ">":
      return { $gt: [get, literal] };
    case "≥":
      return { $gte: [get, literal] };
    case "<":
      return { $lt: [get, literal] };
    case "≤":
      return { $lte: [get, literal] };
  }
}

/** `true`, `false` and numbers as what they are; all else, and what stands in quotes, is text. */
function literalOf(value: string): string | number | boolean {
  if (value === "true" || value === "false") return value === "true";
  if (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value)) return Number(value);
  const [, quoted] = /^"(.*)"$/s.exec(value) ?? [];
  return quoted ?? value;
}

/** What the form says for a filter; null where it cannot. */
export function partOf(filter: unknown): FilterPart | null {
  const json = filter as Json;
  if (!isJsonObject(json) || !isJsonObject(json["query"]) || !isJsonObject(json["query"]["$expr"]))
    return null;
  const condition = readCondition(json["query"]["$expr"]);
  const evaluation = json["evaluation_call_id"] ?? null;
  const quantifier = QUANTIFIERS.find((one) => one === (json["quantifier"] ?? "any"));
  if (
    condition === null ||
    quantifier === undefined ||
    (typeof evaluation === "object" && evaluation !== null)
  )
    return null;
  const part: FilterPart = {
    ...condition,
    quantifier,
    evaluation: evaluation === null ? null : String(evaluation),
  };
  // What the form would write otherwise, it does not say.
  return writeJson(filterOf(part)) === writeJson(withoutDefaults(json)) ? part : null;
}

function withoutDefaults(filter: JsonObject): JsonObject {
  const members = Object.entries(filter).filter(
    ([name, value]) => value !== null && !(name === "quantifier" && value === "any"),
  );
  const order = ["query", "evaluation_call_id", "quantifier"];
  return Object.fromEntries(members.toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b)));
}

function readCondition(expr: JsonObject): Pick<FilterPart, "field" | "operator" | "value"> | null {
  const [name, operand] = Object.entries(expr)[0] ?? [];
  if (name === "$contains" && isJsonObject(operand))
    return said("contains", operand["input"], operand["substr"]);
  if (name === "$not" && Array.isArray(operand) && isJsonObject(operand[0])) {
    const inner = readCondition(operand[0]);
    return inner?.operator === "=" ? { ...inner, operator: "≠" } : null;
  }
  const operator = OPERATORS.find(
    (one) => one in COMPARISONS && COMPARISONS[one as keyof typeof COMPARISONS] === name,
  );
  if (operator === undefined || !Array.isArray(operand)) return null;
  const [left, right] = operand as readonly Json[];
  if (isJsonObject(right) && right["$literal"] === null) return said("is missing", left, { $literal: "" });
  return said(operator, left, right);
}

function said(operator: OperatorName, left: Json | undefined, right: Json | undefined) {
  if (!isJsonObject(left) || !isJsonObject(right)) return null;
  const [field, literal] = [left["$getField"], right["$literal"]];
  if (typeof field !== "string" || literal === undefined || literal === null || typeof literal === "object")
    return null;
  const isText = typeof literal === "string" && operator !== "contains" && literalOf(literal) !== literal;
  return { field, operator, value: isText ? `"${literal}"` : String(literal) };
}
