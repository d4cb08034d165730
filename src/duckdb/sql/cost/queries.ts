import {
  commonTables,
  isNode,
  listAt,
  lower,
  objectAt,
  objectsAt,
  partsOf,
  positionOf,
  text,
  type Tree,
  type TreeNode,
} from "../syntax/tree.ts";
import type { Size } from "./arguments.ts";
import { LIMITS, SHORT_BYTES } from "./limits.ts";
import { atMost } from "./meter.ts";
import { beside, NOTHING, type Costs, type Place, type Relation } from "./place.ts";
import { recursiveRelation } from "./recursion.ts";
import { boundedRelation, checkSample, sourceRelation } from "./sources.ts";

/** Measures a query and returns the relation that it delivers. */
export function queryRelation(costs: Costs, query: Tree | undefined, outer: Place): Relation {
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
