import type { FieldPath } from "../model/field-path.ts";
import type { Operator, ParsedOperation } from "./operators.ts";

export type CastTarget = "double" | "int" | "string" | "bool" | "exists";

/** The condition of a filter, and each part of it. */
export type Expression<Field = FieldPath> =
  | { readonly kind: "literal"; readonly value: string | number | boolean | null }
  | { readonly kind: "field"; readonly field: Field }
  | {
      readonly kind: "convert";
      readonly operands: readonly [Expression<Field>];
      readonly to: CastTarget;
    }
  | { [Name in Operator]: Operation<Field, Name> }[Operator];

/** An operator applied to other expressions. */
export type Operation<Field, Name extends Operator> = ParsedOperation<Expression<Field>, Name>;

export function operandsOf<Field>(expression: Expression<Field>): readonly Expression<Field>[] {
  return "operands" in expression ? expression.operands : [];
}

/** Returns the expression with each field replaced. */
export function mapFields<From, To>(
  expression: Expression<From>,
  replace: (field: From) => To,
): Expression<To> {
  if (expression.kind === "literal") return expression;
  if (expression.kind === "field") return { kind: "field", field: replace(expression.field) };
  return mapOperands(expression, (operand) => mapFields(operand, replace));
}

/** Each operand becomes one operand, so the cast is sound. */
function mapOperands<From, To>(
  expression: Extract<Expression<From>, { readonly operands: unknown }>,
  replace: (operand: Expression<From>) => Expression<To>,
): Expression<To> {
  return { ...expression, operands: expression.operands.map(replace) } as Expression<To>;
}

/** The distinct fields of an expression. */
export function fieldsOf<Field>(expression: Expression<Field>): Set<Field> {
  if (expression.kind === "field") return new Set([expression.field]);
  return new Set(operandsOf(expression).flatMap((operand) => [...fieldsOf(operand)]));
}
