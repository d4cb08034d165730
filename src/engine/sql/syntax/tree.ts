import { isJsonObject, type Json, type JsonObject } from "../../../model/json.ts";

/** The syntax tree that DuckDB's parser makes of a statement, in JSON: how its parts are found. */

export function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

export function lower(value: Json | undefined): string {
  return text(value).toLowerCase();
}

export function textAt(value: Json | undefined, ...path: readonly string[]): string {
  let at = value;
  for (const name of path) at = isJsonObject(at) ? at[name] : undefined;
  return text(at);
}

export function objectAt(value: JsonObject, name: string): JsonObject | null {
  const member = value[name];
  return isJsonObject(member) ? member : null;
}

export function listAt(value: JsonObject, name: string): readonly Json[] {
  const member = value[name];
  return Array.isArray(member) ? (member as readonly Json[]) : [];
}

export function objectsAt(value: JsonObject, name: string): readonly JsonObject[] {
  return listAt(value, name).filter(isJsonObject);
}

/** Common table expressions of a query: objects with a `key` and a `value`. */
export function commonTables(query: JsonObject): readonly JsonObject[] {
  const map = objectAt(query, "cte_map");
  return map === null ? [] : objectsAt(map, "map");
}

/** Where in the statement a part begins, counted from 0. */
export function positionOf(node: JsonObject): number | null {
  const position = node["query_location"];
  return typeof position === "number" ? position : null;
}

/** Expressions right below a part of the tree; those of queries in it are not. */
export function partsOf(tree: JsonObject): readonly JsonObject[] {
  return Object.entries(tree).flatMap(([name, member]) =>
    tree["class"] === "CONSTANT" || name === "cast_type" || name === "subquery" ? [] : expressionsIn(member),
  );
}

function expressionsIn(value: Json): readonly JsonObject[] {
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap(expressionsIn);
  if (!isJsonObject(value)) return [];
  return typeof value["class"] === "string" ? [value] : Object.values(value).flatMap(expressionsIn);
}
