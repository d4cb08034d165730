import {
  isNode,
  listAt,
  lower,
  numberAt,
  objectAt,
  objectsAt,
  partsOf,
  positionOf,
  text,
  textInTree,
  type Tree,
  type TreeNode,
} from "../syntax/tree.ts";
import { LIMITS, SHORT_BYTES } from "./limits.ts";
import { atMost } from "./meter.ts";
import { beside, larger, NOTHING, VIEW, type Costs, type Place, type Relation } from "./place.ts";

type Measure = (costs: Costs, source: TreeNode, place: Place) => Relation;

const MEASURES: ReadonlyMap<string, Measure> = new Map<string, Measure>([
  ["BASE_TABLE", (_costs, source, { tables }) => tables.get(lower(source["table_name"])) ?? VIEW],
  [
    "SUBQUERY",
    (costs, source, place) => boundedRelation(costs, costs.query(costs, source["subquery"], place), source),
  ],
  ["JOIN", joinRelation],
  ["TABLE_FUNCTION", functionRelation],
  ["EXPRESSION_LIST", valuesRelation],
  ["PIVOT", pivotRelation],
  ["SHOW_REF", descriptionRelation],
]);

/** Measures a source of a query and returns the relation with its columns. */
export function sourceRelation(costs: Costs, source: Tree | undefined, place: Place): Relation {
  if (!isNode(source)) return NOTHING;
  checkSample(source);
  return MEASURES.get(text(source["type"]))?.(costs, source, place) ?? NOTHING;
}

/** Checks the sample of a query or of one of its sources. */
export function checkSample(tree: TreeNode): void {
  const size = objectAt(objectAt(tree, "sample") ?? {}, "sample_size");
  if (size !== null) atMost(LIMITS.sample, numberAt(size, "value"), "records in a sample", positionOf(tree));
}

/** Refuses values of unbounded size, since a reader of the relation may make much of each value. */
export function boundedRelation(costs: Costs, relation: Relation, tree: TreeNode): Relation {
  if (relation.column.bytes === Infinity) costs.meter.make(Infinity, "a query", positionOf(tree));
  return relation;
}

/** Measures a join, whose right side may read the columns of the left side. */
function joinRelation(costs: Costs, join: TreeNode, place: Place): Relation {
  const left = sourceRelation(costs, join["left"], place);
  const right = sourceRelation(costs, join["right"], { ...place, from: beside(place.from, left) });
  const both = beside(left, right);
  costs.meter.make(both.row, "a join", positionOf(join));
  const inside = { ...place, from: beside(place.from, both) };
  for (const name of ["condition", "duplicate_eliminated_columns"]) {
    for (const part of partsOf({ value: join[name] ?? null })) costs.expression(costs, part, inside);
  }
  return both;
}

/**
 * Measures a table function. `json_each` and `json_tree` have eight columns, and four of these may be as long as the
 * value.
 */
function functionRelation(costs: Costs, source: TreeNode, place: Place): Relation {
  const call = objectAt(source, "function");
  if (call === null) return NOTHING;
  const sizes = objectsAt(call, "children").map((part) => costs.expression(costs, part, place));
  const [first = NOTHING.column, ...others] = sizes;
  const column = others.reduce(larger, first);
  const isJson = textInTree(call, "function_name").toLowerCase().startsWith("json_");
  const bytes = Math.max(SHORT_BYTES, column.bytes);
  costs.meter.make((isJson ? 4 : 1) * bytes, `${textInTree(call, "function_name")}()`, positionOf(source));
  return {
    column: { ...column, bytes, element: null },
    row: isJson ? 4 * bytes : bytes,
    columns: isJson ? 8 : 2,
    tables: 1,
  };
}

function valuesRelation(costs: Costs, source: TreeNode, place: Place): Relation {
  const records = listAt(source, "values");
  const [first] = records;
  const parts = partsOf({ value: source["values"] ?? null });
  atMost(LIMITS.items, parts.length, "values in one list", positionOf(source));
  const sizes = parts.map((part) => costs.expression(costs, part, place));
  const column = sizes.reduce(larger, { ...NOTHING.column, terms: 1 });
  const columns = Array.isArray(first) ? first.length : 1;
  return { column, row: columns * column.bytes, columns, tables: 1 };
}

/** Measures a pivot, which has a column for each aggregate and each combination of values. */
function pivotRelation(costs: Costs, source: TreeNode, place: Place): Relation {
  const read = sourceRelation(costs, source["source"], place);
  const inside = { ...place, from: beside(place.from, read) };
  const pivots = objectsAt(source, "pivots");
  const combinations = pivots.reduce(
    (count, pivot) => count * Math.max(1, listAt(pivot, "entries").length),
    1,
  );
  const aggregates = objectsAt(source, "aggregates");
  const columns = read.columns + combinations * Math.max(1, aggregates.length);
  atMost(LIMITS.columns, columns, "columns of one query", positionOf(source));
  const parts = partsOf({ ...source, source: null, class: null });
  const sizes = parts.map((part) => costs.expression(costs, part, inside));
  const column = sizes.reduce(larger, read.column);
  costs.meter.make(combinations * SHORT_BYTES, "a pivot", positionOf(source));
  return boundedRelation(costs, { ...read, column, columns }, source);
}

/** Columns that SUMMARIZE gives: it computes as many aggregates for each column of its query. */
const SUMMARY_COLUMNS = 12;

/** Measures a DESCRIBE, which only plans its query, or a SUMMARIZE, whose least and largest values are texts. */
function descriptionRelation(costs: Costs, source: TreeNode, place: Place): Relation {
  const read = boundedRelation(costs, costs.query(costs, source["query"], place), source);
  const position = positionOf(source);
  if (text(source["show_type"]) === "SUMMARY") {
    atMost(LIMITS.columns, read.columns * SUMMARY_COLUMNS, "aggregates of one SUMMARIZE", position);
    costs.meter.make(2 * read.columns * SHORT_BYTES + 2 * read.row, "SUMMARIZE", position);
  }
  return { ...read, columns: SUMMARY_COLUMNS };
}
