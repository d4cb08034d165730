import type { FieldSource } from "../../plan/plan.ts";
import type { Expression, Operation } from "../../request/expression.ts";
import type { Operator } from "../../request/operators.ts";
import { OPERATORS } from "./operators.ts";
import type { RequiredText } from "./text-within.ts";

/**
 * Texts with which a plain search can rule out a document before its JSON is parsed. Stored documents are compact JSON
 * in one spelling, so a text occurs in them escaped (inside a string) or unchanged (in the compact JSON of an object or
 * list).
 */
export function requiredTexts(expression: Expression<FieldSource>): RequiredText[] {
  const { kind } = expression;
  return kind === "literal" || kind === "field" || kind === "convert" ? [] : requiredBy(expression);
}

function requiredBy<Name extends Operator>(one: Operation<FieldSource, Name>): RequiredText[] {
  return OPERATORS[one.kind].texts(one, requiredTexts);
}
