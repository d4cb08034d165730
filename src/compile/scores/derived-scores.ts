import { constant, sql, type Sql } from "../../store/sql.ts";
import type { DerivedLeaf } from "../../plan/virtual-leaves.ts";
import { leavesOf, scoreOperandsOf, type ScoreExpression } from "../../request/score-expression.ts";
import { leafColumn, pivotLeaves, type LeafSource } from "./leaf-pivot.ts";
import { computeScore } from "./arithmetic.ts";
import { small } from "../relations/spelled.ts";

/** The records of a derived score, in the columns of `scores`. */
export function derivedRecords(leaf: DerivedLeaf, source: LeafSource): Sql {
  const pathKeys = [...new Set(leavesOf(leaf.expression))];
  const pivoted = pivotLeaves(pathKeys, requiredLeaves(leaf.expression), source);
  const { from, value } = computeScore(leaf.expression, pivoted, leafColumn);
  return sql`SELECT ${constant(leaf.key)} AS path_key, evaluation_key, row_key, trial_key,
    ${small(constant(leaf.valueType === "boolean" ? 1 : 0))} AS kind, false AS late, ${value} AS number, NULL::VARCHAR AS text
    FROM ${from} WHERE ${value} IS NOT NULL`;
}

/** The dimensions without which the expression has no value, whatever branches are taken. */
function requiredLeaves<Leaf>(expression: ScoreExpression<Leaf>): ReadonlySet<Leaf> {
  if (expression.kind === "leaf") return new Set([expression.leaf]);
  if (expression.kind !== "condition") {
    return new Set(scoreOperandsOf(expression).flatMap((one) => [...requiredLeaves(one)]));
  }
  const whenFalse = requiredLeaves(expression.whenFalse);
  const either = [...requiredLeaves(expression.whenTrue)].filter((leaf) => whenFalse.has(leaf));
  return new Set([...requiredLeaves(expression.test), ...either]);
}
