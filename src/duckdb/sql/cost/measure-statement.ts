import type { TreeNode } from "../syntax/tree.ts";
import { allowedFunctions } from "./function-rules.ts";
import { expressionSize } from "./expressions.ts";
import { Meter, type Constant } from "./meter.ts";
import { NOTHING, VIEW, type Costs, type Place, type Relation } from "./place.ts";
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
 * Bounds the cost of a statement where DuckDB neither interrupts it nor counts its memory: while it is planned, and
 * in the functions that are called with a chunk of records at once. The syntax tree gives the most bytes that each
 * expression makes per record. `results` is the size of the view of that name. Throws a `RequestError` that names the part that may cost too much.
 */
export function measureStatement(
  statement: TreeNode,
  parameter: (identifier: string) => Constant | undefined,
  results: Pick<Relation, "columns" | "tables">,
): void {
  const costs: Costs = {
    meter: new Meter(),
    rules: allowedFunctions().rules,
    parameter,
    expression: expressionSize,
    query: queryRelation,
  };
  queryRelation(costs, statement, { ...START, tables: new Map([["results", { ...VIEW, ...results }]]) });
}
