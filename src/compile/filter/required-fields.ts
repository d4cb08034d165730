import type { Expression, Operation } from "../../request/expression.ts";
import type { Operator } from "../../request/operators.ts";
import { OPERATORS, type NeededTruth } from "./operators.ts";

/**
 * The fields that must have a value for an expression to be true: records that lack one need not be read. Fields are
 * distinguished by object identity.
 */
export function requiredFields<Field>(expression: Expression<Field>): ReadonlySet<Field> {
  return needed(expression, "true");
}

/** The fields that must have a value for the expression to be true, or to be true or false. */
function needed<Field>(expression: Expression<Field>, to: NeededTruth): ReadonlySet<Field> {
  if (expression.kind === "literal") return new Set();
  if (expression.kind === "field") return new Set([expression.field]);
  if (expression.kind !== "convert") return neededBy(expression, to);
  if (expression.to === "exists" && to === "known") return new Set();
  return needed(expression.operands[0], "known");
}

function neededBy<Name extends Operator, Field>(
  one: Operation<Field, Name>,
  to: NeededTruth,
): ReadonlySet<Field> {
  return OPERATORS[one.kind].fields(one, needed, to);
}
