import type { FieldSource } from "../../plan/plan.ts";
import type { Expression } from "../../request/expression.ts";

/** A text that the JSON behind a field must contain for an expression to be true. */
export interface RequiredText {
  readonly field: Extract<FieldSource, { readonly kind: "output" | "input" }>;
  /** Any of these spellings. */
  readonly spellings: readonly string[];
  readonly caseInsensitive: boolean;
}

/** What the field of such a search must contain. */
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
