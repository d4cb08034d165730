import type { Expression } from "../../request/eval-request.ts";

/**
 * The fields without a value of which an expression cannot be true: rows lacking one need not be looked at.
 * Fields are told apart by identity.
 */
export function requiredFields<Field>(expression: Expression<Field>): ReadonlySet<Field> {
  return needed(expression, "true");
}

/** What must be present for the expression to be true, or to be known at all. */
function needed<Field>(expression: Expression<Field>, to: "true" | "known"): ReadonlySet<Field> {
  const known = (one: Expression<Field>) => needed(one, "known");
  switch (expression.kind) {
    case "literal":
      return new Set();
    case "field":
      return new Set([expression.field]);
    case "convert":
      return expression.to === "exists" && to === "known" ? new Set() : known(expression.input);
    case "and": {
      const operands = expression.operands.map((one) => needed(one, to));
      return to === "true" ? union(operands) : intersection(operands);
    }
    case "or":
      return intersection(expression.operands.map((one) => needed(one, to)));
    case "not":
      return known(expression.operand);
    case "compare":
      return hasNull([expression.left, expression.right])
        ? new Set()
        : union([known(expression.left), known(expression.right)]);
    case "in":
      return expression.options.length === 0 || hasNull([expression.operand, ...expression.options])
        ? new Set()
        : known(expression.operand);
    case "contains":
      return union([known(expression.input), known(expression.substring)]);
  }
}

function hasNull<Field>(operands: readonly Expression<Field>[]): boolean {
  return operands.some((operand) => operand.kind === "literal" && operand.value === null);
}

function union<T>(sets: readonly ReadonlySet<T>[]): ReadonlySet<T> {
  return new Set(sets.flatMap((set) => [...set]));
}

function intersection<T>(sets: readonly ReadonlySet<T>[]): ReadonlySet<T> {
  const [first = new Set<T>(), ...rest] = sets;
  return new Set([...first].filter((item) => rest.every((set) => set.has(item))));
}
