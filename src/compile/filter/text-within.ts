import type { FieldSource } from "../../plan/plan.ts";
import type { Expression } from "../../request/expression.ts";

/** A text that the JSON document of a field must contain for an expression to be true. */
export interface RequiredText {
  readonly field: Extract<FieldSource, { readonly kind: "output" | "input" }>;
  /** At least one of these spellings must occur. */
  readonly spellings: readonly string[];
  readonly caseInsensitive: boolean;
}

/** The text that the document must contain where `input` contains `text`; empty where nothing is required. */
export function textWithin(
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
