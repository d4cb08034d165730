import { RequestError, requestFault } from "../../../errors.ts";
import { isWrittenObject, type WrittenJson, WrittenNumber, type WrittenObject } from "./written-json.ts";

/**
 * The syntax tree that DuckDB's parser makes of a statement. Numbers keep the spelling that DuckDB expects back.
 */
export type Tree = WrittenJson;
export type TreeNode = WrittenObject;

export const isNode = isWrittenObject;

export function text(value: Tree | undefined): string {
  return typeof value === "string" ? value : "";
}

export function lower(value: Tree | undefined): string {
  return text(value).toLowerCase();
}

export function textInTree(value: Tree | undefined, ...path: readonly string[]): string {
  let at = value;
  for (const name of path) at = isNode(at) ? at[name] : undefined;
  return text(at);
}

/** Returns NaN where there is no number. */
export function numberAt(value: TreeNode, name: string): number {
  const member = value[name];
  return member instanceof WrittenNumber ? Number(member.spelling) : Number.NaN;
}

export function objectAt(value: TreeNode, name: string): TreeNode | null {
  const member = value[name];
  return isNode(member) ? member : null;
}

export function listAt(value: TreeNode, name: string): readonly Tree[] {
  const member = value[name];
  return Array.isArray(member) ? (member as readonly Tree[]) : [];
}

export function objectsAt(value: TreeNode, name: string): readonly TreeNode[] {
  return listAt(value, name).filter(isNode);
}

/** The common table expressions of a query, as objects with a `key` and a `value`. */
export function commonTables(query: TreeNode): readonly TreeNode[] {
  const map = objectAt(query, "cte_map");
  return map === null ? [] : objectsAt(map, "map");
}

/**
 * The position at which a part begins in the statement, counted from 0; null for a part without a position, for which
 * DuckDB writes 2^64 - 1.
 */
export function positionOf(node: TreeNode): number | null {
  const position = numberAt(node, "query_location");
  return Number.isSafeInteger(position) ? position : null;
}

/** The expressions directly below a part of the tree, without those of subqueries in it. */
export function partsOf(tree: TreeNode): readonly TreeNode[] {
  return Object.entries(tree).flatMap(([name, member]) =>
    tree["class"] === "CONSTANT" || name === "cast_type" || name === "subquery" ? [] : expressionsIn(member),
  );
}

function expressionsIn(value: Tree): readonly TreeNode[] {
  if (Array.isArray(value)) return (value as readonly Tree[]).flatMap(expressionsIn);
  if (!isNode(value)) return [];
  return typeof value["class"] === "string" ? [value] : Object.values(value).flatMap(expressionsIn);
}

/**
 * Copies a tree with each node replaced for which `replace` returns another one. Replacements and constants are not
 * searched further.
 */
export function replaceNodes(tree: TreeNode, replace: (node: TreeNode) => TreeNode | null): TreeNode {
  const replaced = replace(tree);
  if (replaced !== null) return replaced;
  return tree["class"] === "CONSTANT" ? tree : withParts(tree, (node) => replaceNodes(node, replace));
}

/** The tree with another node for each directly below it. */
export function withParts(tree: TreeNode, other: (node: TreeNode) => TreeNode): TreeNode {
  const within = (value: Tree): Tree => {
    if (Array.isArray(value)) return (value as readonly Tree[]).map(within);
    return isNode(value) ? other(value) : value;
  };
  return Object.fromEntries(Object.entries(tree).map(([name, member]) => [name, within(member)]));
}

/** An integer as a constant of a tree. */
export function integerConstant(value: number): TreeNode {
  const number = new WrittenNumber(String(value));
  return {
    class: "CONSTANT",
    type: "VALUE_CONSTANT",
    value: { type: { id: "INTEGER" }, is_null: false, value: number },
  };
}

/** The error for a statement that cannot be read. `position` counts its characters from 0. */
export function invalidStatement(message: string, position: number | null): RequestError {
  const where = position === null ? "" : ` (at character ${position + 1})`;
  return requestFault("schema", ["statement"], `${message}${where}`, "sql_invalid");
}

/**
 * The error for a statement that does, reads or costs something that is not allowed: `what` names it, `allowed` names
 * the alternative.
 */
export function refusedStatement(what: string, allowed: string, position: number | null): RequestError {
  const where = position === null ? "" : ` (at character ${position + 1})`;
  return requestFault("meaning", ["statement"], `${what} is not allowed${where}; ${allowed}`, "sql_refused");
}
