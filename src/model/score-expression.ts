/** The computation of a derived score for each trial, from other dimensions (`Leaf`); plain data. */
export type ScoreExpression<Leaf> =
  | { readonly kind: "constant"; readonly value: number | boolean }
  | { readonly kind: "leaf"; readonly leaf: Leaf }
  | { readonly kind: "signed"; readonly negative: boolean; readonly operand: ScoreExpression<Leaf> }
  | {
      readonly kind: "arithmetic";
      readonly operator: ArithmeticOperator;
      readonly left: ScoreExpression<Leaf>;
      readonly right: ScoreExpression<Leaf>;
    }
  | {
      readonly kind: "compare";
      readonly comparison: ScoreComparison;
      readonly left: ScoreExpression<Leaf>;
      readonly right: ScoreExpression<Leaf>;
    }
  | {
      readonly kind: "and" | "or";
      readonly left: ScoreExpression<Leaf>;
      readonly right: ScoreExpression<Leaf>;
    }
  | { readonly kind: "not"; readonly operand: ScoreExpression<Leaf> }
  | {
      readonly kind: "condition";
      readonly test: ScoreExpression<Leaf>;
      readonly whenTrue: ScoreExpression<Leaf>;
      readonly whenFalse: ScoreExpression<Leaf>;
    }
  | {
      readonly kind: "call";
      readonly name: ScoreFunction;
      readonly args: readonly ScoreExpression<Leaf>[];
    };

export type ArithmeticOperator = "add" | "subtract" | "multiply" | "divide" | "power" | "modulo";
export type ScoreComparison = "eq" | "ne" | "gt" | "gte" | "lt" | "lte";

export const SCORE_FUNCTIONS = ["min", "max", "abs", "sqrt", "exp", "log", "round", "floor", "ceil"] as const;
export type ScoreFunction = (typeof SCORE_FUNCTIONS)[number];

/** A score dimension that an expression names. */
export interface NamedLeaf {
  /** Member names, the scorer key first. */
  readonly path: readonly string[];
  /** The position of its first character in the expression, counted from 1. */
  readonly position: number;
}

/** The operands of an expression, in source order. */
export function scoreOperandsOf<Leaf>(expression: ScoreExpression<Leaf>): readonly ScoreExpression<Leaf>[] {
  switch (expression.kind) {
    case "constant":
    case "leaf":
      return [];
    case "signed":
    case "not":
      return [expression.operand];
    case "arithmetic":
    case "compare":
    case "and":
    case "or":
      return [expression.left, expression.right];
    case "condition":
      return [expression.test, expression.whenTrue, expression.whenFalse];
    case "call":
      return expression.args;
  }
}

/** The dimensions that an expression reads, in source order, with repeats. */
export function leavesOf<Leaf>(expression: ScoreExpression<Leaf>): readonly Leaf[] {
  return expression.kind === "leaf" ? [expression.leaf] : scoreOperandsOf(expression).flatMap(leavesOf);
}

/** The dimensions without which the expression has no value, whatever branches are taken. */
export function requiredLeaves<Leaf>(expression: ScoreExpression<Leaf>): ReadonlySet<Leaf> {
  if (expression.kind === "leaf") return new Set([expression.leaf]);
  if (expression.kind !== "condition") {
    return new Set(scoreOperandsOf(expression).flatMap((one) => [...requiredLeaves(one)]));
  }
  const whenFalse = requiredLeaves(expression.whenFalse);
  const either = [...requiredLeaves(expression.whenTrue)].filter((leaf) => whenFalse.has(leaf));
  return new Set([...requiredLeaves(expression.test), ...either]);
}

/** Returns the expression with each dimension replaced. */
export function mapLeaves<From, To>(
  expression: ScoreExpression<From>,
  replace: (leaf: From) => To,
): ScoreExpression<To> {
  const inside = (one: ScoreExpression<From>) => mapLeaves(one, replace);
  switch (expression.kind) {
    case "constant":
      return expression;
    case "leaf":
      return { kind: "leaf", leaf: replace(expression.leaf) };
    case "signed":
    case "not":
      return { ...expression, operand: inside(expression.operand) };
    case "arithmetic":
    case "compare":
    case "and":
    case "or":
      return { ...expression, left: inside(expression.left), right: inside(expression.right) };
    case "condition":
      return {
        kind: "condition",
        test: inside(expression.test),
        whenTrue: inside(expression.whenTrue),
        whenFalse: inside(expression.whenFalse),
      };
    case "call":
      return { ...expression, args: expression.args.map(inside) };
  }
}
