import type { TreeNode } from "../syntax/tree.ts";
import type { Rule } from "./calls.ts";
import { expressionSize } from "./expressions.ts";
import { Meter, type Constant } from "./meter.ts";
import { NOTHING, type Costs, type Place } from "./place.ts";
import { queryRelation } from "./queries.ts";

const START: Place = {
  from: NOTHING,
  aliases: new Map(),
  tables: new Map(),
  depth: 0,
  subqueries: 0,
  queries: 0,
};

/**
 * Bounds what a statement costs where DuckDB neither interrupts it nor counts its memory: while it is planned, and in
 * the functions that are called with a chunk of records at once. From the syntax tree it is told how many bytes each
 * expression makes of one record at most. Throws a `RequestError` that says which part may cost too much.
 */
export function measureStatement(
  statement: TreeNode,
  rules: ReadonlyMap<string, Rule>,
  parameter: (identifier: string) => Constant | undefined,
): void {
  const costs: Costs = {
    meter: new Meter(),
    rules,
    parameter,
    expression: expressionSize,
    query: queryRelation,
  };
  queryRelation(costs, statement, START);
}
