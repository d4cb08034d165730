import type { FieldSource } from "../../plan/plan.ts";
import type { Expression } from "../../request/eval-request.ts";

/** A text that the JSON behind a field must contain for an expression to be true. */
export interface RequiredText {
  readonly field: Extract<FieldSource, { readonly kind: "output" | "input" }>;
  /** Any of these spellings. */
  readonly spellings: readonly string[];
  readonly caseInsensitive: boolean;
}

/**
 * Texts that let a document be ruled out by a plain search, before its JSON is parsed. Stored documents are
 * compact JSON in one spelling, so a text occurs in them escaped (inside a string) or as it is (in the
 * compact JSON of an object or list).
 */
export function requiredTexts(expression: Expression<FieldSource>): RequiredText[] {
  switch (expression.kind) {
    case "and":
      return expression.operands.flatMap(requiredTexts);
    case "contains":
      return textWithin(expression.input, expression.substring, expression.caseInsensitive);
    case "compare":
      if (expression.comparison !== "eq") return [];
      return [
        ...textWithin(expression.left, expression.right, false),
        ...textWithin(expression.right, expression.left, false),
      ];
    case "literal":
    case "field":
    case "convert":
    case "or":
    case "not":
    case "in":
      return [];
  }
}

function textWithin(
  input: Expression<FieldSource>,
  text: Expression<FieldSource>,
  caseInsensitive: boolean,
): RequiredText[] {
  if (input.kind !== "field" || (input.field.kind !== "output" && input.field.kind !== "input")) return [];
  if (text.kind !== "literal" || typeof text.value !== "string" || text.value === "") return [];
  const plain = text.value.toWellFormed();
  const escaped = JSON.stringify(plain).slice(1, -1);
  return [
    {
      field: input.field,
      spellings: [...new Set([plain, escaped])],
      caseInsensitive,
    },
  ];
}
