import { listAt, lower, objectAt, partsOf, positionOf, text, type TreeNode } from "../syntax/tree.ts";
import type { Size } from "./arguments.ts";
import { callSize, ruledSize, totalTerms, windowSize } from "./call-costs.ts";
import { castBytes } from "./cast-types.ts";
import { constantOf } from "./calls.ts";
import { LIMITS, SHORT_BYTES } from "./limits.ts";
import { atMost } from "./meter.ts";
import { inner, larger, type Costs, type Place } from "./place.ts";

/** Operators whose result is one of their operands, or a part of one. */
const PICKING: ReadonlySet<string> = new Set([
  "ARRAY_EXTRACT",
  "OPERATOR_COALESCE",
  "OPERATOR_TRY",
  "OPERATOR_NULLIF",
  "OPERATOR_UNPACK",
  "STRUCT_EXTRACT",
  "UNNEST",
]);

/**
 * Measures an expression and adds the bytes that it makes to the meter. Throws `RequestError` where it may cost too
 * much.
 */
export function expressionSize(costs: Costs, tree: TreeNode, outer: Place): Size {
  const position = positionOf(tree);
  const place = { ...outer, depth: outer.depth + 1 };
  atMost(LIMITS.depth, place.depth, "levels of nested expressions", position);
  atMost(LIMITS.items, partsOf(tree).length, "items in one list", position);
  const size = sizeOf(costs, tree, place);
  atMost(LIMITS.terms, size.terms, "terms in one expression, with its columns written out,", position);
  return size;
}

/** The measure of each class of expressions. */
const MEASURES: ReadonlyMap<string, (costs: Costs, tree: TreeNode, place: Place) => Size> = new Map([
  ["CONSTANT", constantSize],
  ["PARAMETER", constantSize],
  ["COLUMN_REF", columnSize],
  ["LAMBDA_REF", anyColumnSize],
  ["POSITIONAL_REFERENCE", anyColumnSize],
  ["SUBQUERY", subquerySize],
  ["CAST", castSize],
  ["FUNCTION", callSize],
  ["WINDOW", windowSize],
  ["LAMBDA", arrowSize],
  ["COLLATE", collateSize],
  ["OPERATOR", operatorSize],
  ["CASE", pickedSize],
  ["STAR", pickedSize],
]);

function sizeOf(costs: Costs, tree: TreeNode, place: Place): Size {
  const measure = MEASURES.get(text(tree["class"])) ?? shortSize;
  return measure(costs, tree, place);
}

/** Measures comparisons and other expressions with short results. */
function shortSize(costs: Costs, tree: TreeNode, place: Place): Size {
  return { ...pickedSize(costs, tree, place), bytes: SHORT_BYTES, element: null };
}

function anyColumnSize(_costs: Costs, _tree: TreeNode, place: Place): Size {
  return place.from.column;
}

/** Measures `->` outside a call of a list function, where it is an operator on JSON. */
function arrowSize(costs: Costs, tree: TreeNode, place: Place): Size {
  return ruledSize(costs, tree, { rule: "json path", name: "->", args: partsOf(tree) }, place);
}

function collateSize(costs: Costs, tree: TreeNode, place: Place): Size {
  return ruledSize(costs, tree, { rule: "longest", name: "collate", args: partsOf(tree) }, place);
}

/** The source of a column is not resolved, so its size is that of the widest column. */
function columnSize(_costs: Costs, tree: TreeNode, { from, aliases }: Place): Size {
  const [name, ...others] = listAt(tree, "column_names");
  const item = others.length === 0 ? aliases.get(lower(name)) : undefined;
  return item === undefined ? from.column : larger(from.column, item);
}

function constantSize({ parameter }: Costs, tree: TreeNode): Size {
  const value = constantOf(tree, parameter);
  const bytes = typeof value === "string" ? Buffer.byteLength(value) : SHORT_BYTES;
  return { bytes: Math.max(bytes, SHORT_BYTES), element: null, terms: 1 };
}

function operatorSize(costs: Costs, tree: TreeNode, place: Place): Size {
  const type = text(tree["type"]);
  const args = partsOf(tree);
  if (type === "ARRAY_SLICE") return ruledSize(costs, tree, { rule: "slice", name: "slice", args }, place);
  if (type === "ARRAY_CONSTRUCTOR")
    return ruledSize(costs, tree, { rule: "together", name: "list", args }, place);
  return PICKING.has(type) ? pickedSize(costs, tree, place) : shortSize(costs, tree, place);
}

/** Measures an expression that is as large as its largest part. */
function pickedSize(costs: Costs, tree: TreeNode, place: Place): Size {
  const sizes = partsOf(tree).map((part) => expressionSize(costs, part, place));
  if (text(tree["class"]) === "STAR") sizes.push(place.from.column);
  const [first = { bytes: SHORT_BYTES, element: null, terms: 0 }, ...others] = sizes;
  return { ...others.reduce(larger, first), terms: 1 + totalTerms(sizes) };
}

function subquerySize(costs: Costs, tree: TreeNode, place: Place): Size {
  const position = positionOf(tree);
  const beside = partsOf(tree).map((part) => expressionSize(costs, part, place));
  const { column } = costs.query(costs, tree["subquery"], inner(place, position));
  const terms = 1 + column.terms + totalTerms(beside);
  if (text(tree["subquery_type"]) !== "SCALAR") return { bytes: SHORT_BYTES, element: null, terms };
  if (column.bytes === Infinity) costs.meter.make(Infinity, "a subquery", position);
  return { ...column, terms };
}

function castSize(costs: Costs, tree: TreeNode, place: Place): Size {
  const child = objectAt(tree, "child");
  const type = objectAt(tree, "cast_type");
  if (child === null || type === null) return pickedSize(costs, tree, place);
  const given = expressionSize(costs, child, place);
  const bytes = castBytes(type, given.bytes, tree);
  costs.meter.make(bytes, "a cast", positionOf(tree));
  return { bytes, element: null, terms: given.terms + 1 };
}
