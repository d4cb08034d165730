import {
  commonTables,
  isNode,
  listAt,
  lower,
  objectAt,
  objectsAt,
  partsOf,
  positionOf,
  refusedStatement,
  text,
  type Tree,
  type TreeNode,
} from "../syntax/tree.ts";
import type { Size } from "./arguments.ts";
import { LIMITS, SHORT_BYTES } from "./limits.ts";
import { atMost, type Constant, Meter } from "./meter.ts";
import { beside, type Costs, NOTHING, type Place, type Relation, VIEW } from "./place.ts";
import { boundedRelation, checkSample, sourceRelation } from "./sources.ts";
import { allowedFunctions } from "./function-rules.ts";
import { expressionSize } from "./expressions.ts";

/** Measures a query and returns the relation that it delivers. */
function queryRelation(costs: Costs, query: Tree | undefined, outer: Place): Relation {
  const wrapped = isNode(query) ? (objectAt(query, "node") ?? query) : null;
  if (wrapped === null) return NOTHING;
  const queries = outer.queries + 1;
  atMost(LIMITS.queries, queries, "levels of nested queries", null);
  const common = withCommonTables(costs, wrapped, { ...outer, queries });
  const own = nodeRelation(costs, wrapped, common.place);
  const relation = { ...own, tables: own.tables + common.tables };
  atMost(LIMITS.columns, relation.columns, "columns of one query", null);
  atMost(LIMITS.tables, relation.tables, "tables to read", null);
  return relation;
}

/** DuckDB plans a common table expression once, however often it is referenced, unless it is NOT MATERIALIZED. */
function withCommonTables(costs: Costs, query: TreeNode, outer: Place): { place: Place; tables: number } {
  const known = new Map(outer.tables);
  let tables = 0;
  for (const entry of commonTables(query)) {
    const value = objectAt(entry, "value");
    const defined = queryRelation(costs, value?.["query"], { ...outer, tables: known });
    const relation = boundedRelation(costs, defined, entry);
    const writtenOut = text(value?.["materialized"]) === "CTE_MATERIALIZE_NEVER";
    tables += relation.tables;
    known.set(lower(entry["key"]), writtenOut ? relation : { ...relation, tables: 1 });
  }
  return { place: { ...outer, tables: known }, tables };
}

function nodeRelation(costs: Costs, node: TreeNode, place: Place): Relation {
  const type = text(node["type"]);
  if (type === "RECURSIVE_CTE_NODE") return recursiveRelation(costs, node, place);
  if (type !== "SET_OPERATION_NODE") return selectRelation(costs, node, place);
  const [left, right] = [node["left"], node["right"]].map((side) => queryRelation(costs, side, place));
  const both = beside(left ?? NOTHING, right ?? NOTHING);
  measureModifiers(costs, node, { ...place, from: beside(both, place.from) });
  return { ...both, columns: Math.max(left?.columns ?? 0, right?.columns ?? 0) };
}

function selectRelation(costs: Costs, node: TreeNode, outer: Place): Relation {
  const source = sourceRelation(costs, node["from_table"], outer);
  const aliases = new Map(outer.aliases);
  const place = { ...outer, from: beside(source, outer.from), aliases };
  checkSample(node);
  costs.meter.make(source.row, "putting records together", null);
  atMost(LIMITS.groupingSets, listAt(node, "group_sets").length, "grouping sets", null);
  const inSubqueries = { tables: 0 };
  const measured: Costs = {
    ...costs,
    query: (_costs, query, below) => {
      const relation = costs.query(costs, query, below);
      inSubqueries.tables += relation.tables;
      return relation;
    },
  };
  const list = objectsAt(node, "select_list").map((item) => {
    const relation = itemRelation(measured, item, source, place);
    aliases.set(lower(item["alias"]), relation.column);
    return relation;
  });
  for (const name of ["where_clause", "group_expressions", "having", "qualify"]) {
    measureParts(measured, node[name], place);
  }
  const delivered = list.reduce(beside, NOTHING);
  measureModifiers(measured, node, { ...place, from: beside(place.from, delivered) });
  return { ...delivered, tables: source.tables + inSubqueries.tables };
}

/** Measures one item of a select list, which may stand for several columns. */
function itemRelation(costs: Costs, item: TreeNode, source: Relation, place: Place): Relation {
  const kind = text(item["class"]);
  const size = partSize(costs, item, place);
  if (kind === "CONSTANT" || kind === "PARAMETER")
    costs.meter.make(size.bytes, "a constant", positionOf(item));
  const columns = starsIn(item) ? Math.max(1, source.columns) : 1;
  const made =
    kind === "STAR" || kind === "COLUMN_REF" ? Math.min(source.row, columns * size.bytes) : size.bytes;
  const row = made > SHORT_BYTES && made < Infinity ? made : 0;
  return { column: size, row, columns, tables: 0 };
}

/** Measures a part; with `columns(...)` it stands for one expression, or one operand, per column. */
function partSize(costs: Costs, part: TreeNode, place: Place): Size {
  if (text(part["class"]) === "STAR" || !starsIn(part)) return costs.expression(costs, part, place);
  const count = Math.max(1, place.from.columns);
  const position = positionOf(part);
  const size = costs.meter.times(count, "columns()", position, () => costs.expression(costs, part, place));
  return { bytes: count * size.bytes, element: null, terms: count * size.terms };
}

function starsIn(tree: TreeNode): boolean {
  return text(tree["class"]) === "STAR" || partsOf(tree).some(starsIn);
}

function measureModifiers(costs: Costs, node: TreeNode, place: Place): void {
  for (const modifier of objectsAt(node, "modifiers")) measureParts(costs, modifier, place);
}

function measureParts(costs: Costs, value: Tree | undefined, place: Place): void {
  const parts = partsOf({ value: value ?? null });
  atMost(LIMITS.keys, parts.length, "keys to group or to sort by", null);
  for (const part of parts) partSize(costs, part, place);
}

/** Assumed length of texts and lists that each step lengthens and cuts. */
const CUT_BYTES = 4_096;

/**
 * Measures a query that reads itself; the values that it makes of its own records must not be longer than theirs.
 */
function recursiveRelation(costs: Costs, node: TreeNode, place: Place): Relation {
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

const START: Place = {
  from: NOTHING,
  aliases: new Map(),
  tables: new Map(),
  depth: 0,
  subqueries: 0,
  queries: 0,
};

/**
 * Bounds the cost of a statement where DuckDB neither interrupts it nor counts its memory: while it is planned, and in
 * the functions that are called with a chunk of records at once. The syntax tree gives the most bytes that each
 * expression makes per record. `results` is the size of the view of that name. Throws a `RequestError` that names the
 * part that may cost too much.
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
