import { constant, EMPTY, identifier, join, sql, type Sql } from "../model/sql.ts";
import type { VirtualLeaf } from "../plan/plan.ts";
import { leavesOf, operandsOf, type ScoreExpression } from "../request/score-expression.ts";
import { computeScore } from "./score-arithmetic.ts";

/** The records of a leaf that are numbers or booleans: (evaluation_key, row_key, trial_key, number). */
export type LeafRecords = (pathKey: number) => Sql;

/** The records of a derived score, in the columns of `scores`: its leaves joined by trial, then computed. */
export function derivedRecords(
  leaf: VirtualLeaf & { readonly kind: "derived" },
  records: LeafRecords,
  trials: Sql,
): Sql {
  const keys = [...new Set(leavesOf(leaf.expression))];
  const needed = requiredLeaves(leaf.expression);
  const alias = (key: number) => identifier(`x${keys.indexOf(key)}`);
  const ordered = keys.toSorted((a, b) => Number(needed.has(b)) - Number(needed.has(a)));
  const driver = ordered.find((key) => needed.has(key));
  const base = driver === undefined ? sql`t` : alias(driver);
  const joins = ordered
    .filter((key) => key !== driver)
    .map((key) => {
      const kind = needed.has(key) ? sql` JOIN ` : sql` LEFT JOIN `;
      return sql`${kind}(${records(key)}) AS ${alias(key)} ON ${alias(key)}.trial_key = ${base}.trial_key`;
    });
  const columns = keys.map((key) => sql`, ${alias(key)}.number AS ${alias(key)}`);
  const first = driver === undefined ? sql`(${trials}) AS t` : sql`(${records(driver)}) AS ${base}`;
  const joined = sql`(SELECT ${base}.evaluation_key, ${base}.row_key, ${base}.trial_key${join(columns, EMPTY)}
    FROM ${first}${join(joins, EMPTY)})`;
  const { from, value } = computeScore(leaf.expression, joined, alias);
  return sql`SELECT ${constant(leaf.key)} AS path_key, evaluation_key, row_key, trial_key,
    ${constant(leaf.valueType === "boolean" ? 1 : 0)}::UTINYINT AS kind, false AS late, ${value} AS number, NULL::VARCHAR AS text
    FROM ${from} WHERE ${value} IS NOT NULL`;
}

/** The leaves without which the expression has no value, whatever branches are taken. */
function requiredLeaves<Leaf>(expression: ScoreExpression<Leaf>): ReadonlySet<Leaf> {
  if (expression.kind === "leaf") return new Set([expression.leaf]);
  if (expression.kind !== "condition") {
    return new Set(operandsOf(expression).flatMap((one) => [...requiredLeaves(one)]));
  }
  const whenFalse = requiredLeaves(expression.whenFalse);
  const either = [...requiredLeaves(expression.whenTrue)].filter((leaf) => whenFalse.has(leaf));
  return new Set([...requiredLeaves(expression.test), ...either]);
}
