import { parseJson, writeJson } from "../../model/json.ts";
import type { Filter } from "../../request/eval-results-request.ts";
import { literalOf } from "../../words/filter-words.ts";

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
  return COMPARISONS[operator]([get, literal]);
}

type Operands = Extract<Condition, { readonly $eq: unknown }>["$eq"];

const COMPARISONS = {
  "=": ($eq: Operands) => ({ $eq }),
  ">": ($gt: Operands) => ({ $gt }),
  "≥": ($gte: Operands) => ({ $gte }),
  "<": ($lt: Operands) => ({ $lt }),
  "≤": ($lte: Operands) => ({ $lte }),
};
