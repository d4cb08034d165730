import { refusedStatement } from "../syntax/refusal.ts";
import { lower, text, type TreeNode } from "../syntax/tree.ts";
import { beside, type Costs, type Place, type Relation } from "./place.ts";

/** Assumed length of texts and lists that each step lengthens and cuts. */
const CUT_BYTES = 4_096;

/**
 * Measures a query that reads itself; the values that it makes of its own records must not be longer than theirs.
 */
export function recursiveRelation(costs: Costs, node: TreeNode, place: Place): Relation {
  const name = lower(node["cte_name"]);
  const first = costs.query(costs, node["left"], place);
  const within = (read: Relation): Relation =>
    costs.query(costs, node["right"], { ...place, tables: new Map(place.tables).set(name, read) });
  const itself = (bytes: number): Relation => ({
    ...first,
    column: { bytes, element: null, terms: 1 },
    row: first.columns * bytes,
    tables: 1,
  });
  for (const bytes of [first.column.bytes, Math.max(CUT_BYTES, first.column.bytes)]) {
    const next = within(itself(bytes));
    if (next.column.bytes <= bytes)
      return { ...beside(first, next), columns: first.columns, column: { bytes, element: null, terms: 1 } };
  }
  throw refusedStatement(
    `the recursive table expression ${text(node["cte_name"])}, whose values become longer with each step,`,
    "cut them to a length, such as left(path || id, 1000)",
    null,
  );
}
