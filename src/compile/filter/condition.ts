import { identifier, type Sql } from "../../store/sql.ts";
import type { Expression, Operation } from "../../request/expression.ts";
import { bind } from "../relations/spelled.ts";
import type { Operator } from "../../request/operators.ts";
import { booleanOperand, cast, literalOperand, type Operand } from "./operand.ts";
import { OPERATORS, type Scope } from "./operators.ts";

/** Returns the readings of a field. */
type ReadField<Field> = (field: Field) => Operand;

/** Compiles an expression to a condition: true, false or null. */
export function compileCondition<Field>(expression: Expression<Field>, read: ReadField<Field>): Sql {
  return scopeAt(read, 0).condition(expression);
}

/** `depth` counts the variables bound around an expression, so that each gets a different name. */
function scopeAt<Field>(read: ReadField<Field>, depth: number): Scope<Field> {
  return {
    condition: (expression) => condition(expression, read, depth),
    use: (expression, body) =>
      use(expression, read, depth, (operand, inner) => body(operand, scopeAt(read, inner))),
  };
}

function condition<Field>(expression: Expression<Field>, read: ReadField<Field>, depth: number): Sql {
  const { kind } = expression;
  if (kind === "literal" || kind === "field" || kind === "convert") {
    return use(expression, read, depth, (operand) => operand.condition);
  }
  return operation(expression, scopeAt(read, depth));
}

function operation<Name extends Operator, Field>(one: Operation<Field, Name>, scope: Scope<Field>): Sql {
  return OPERATORS[one.kind].condition(one, scope);
}

/**
 * Uses an expression as an operand. Operations, and casts of anything but a field or literal, are computed once and
 * bound to a variable (the parameter of a lambda), because their readings may be written several times and expressions
 * nest.
 */
function use<Field>(
  expression: Expression<Field>,
  read: ReadField<Field>,
  depth: number,
  body: (operand: Operand, depth: number) => Sql,
): Sql {
  if (expression.kind === "literal") return body(literalOperand(expression.value), depth);
  if (expression.kind === "field") return body(read(expression.field), depth);
  if (expression.kind !== "convert") {
    const name = identifier(`v${depth}`);
    return bind(condition(expression, read, depth), name, body(booleanOperand(name), depth + 1));
  }
  const {
    operands: [input],
    to,
  } = expression;
  return use(input, read, depth, (operand, below) => {
    const { value, reading } = cast(operand, to);
    if (input.kind === "field" || input.kind === "literal") return body(reading(value), below);
    const name = identifier(`v${below}`);
    return bind(value, name, body(reading(name), below + 1));
  });
}
