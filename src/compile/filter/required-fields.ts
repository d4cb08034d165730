import type { Expression, Operation } from "../../request/expression.ts";
import type { Operator } from "../../request/operators.ts";
import { OPERATORS, type Outcome } from "./operators.ts";

/**
 * The fields without a value of which an expression cannot be true: rows lacking one need not be looked at.
 * Fields are told apart by identity.
 */
export function requiredFields<Field>(expression: Expression<Field>): ReadonlySet<Field> {
  return needed(expression, "true");
}

/** What must be present for the expression to be true, or to be known at all. */
function needed<Field>(expression: Expression<Field>, to: Outcome): ReadonlySet<Field> {
  if (expression.kind === "literal") return new Set();
  if (expression.kind === "field") return new Set([expression.field]);
  if (expression.kind !== "convert") return neededBy(expression, to);
  if (expression.to === "exists" && to === "known") return new Set();
  return needed(expression.operands[0], "known");
}

function neededBy<Name extends Operator, Field>(
  one: Operation<Field, Name>,
  to: Outcome,
): ReadonlySet<Field> {
  return OPERATORS[one.kind].fields(one, needed, to);
}
