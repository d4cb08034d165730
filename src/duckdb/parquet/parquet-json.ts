import { identifier, join, sql, text, type Sql } from "../../store/sql.ts";

/** A DuckDB type, as far as its JSON depends on it. */
type Shape =
  | { readonly kind: "leaf"; readonly name: string }
  | { readonly kind: "list"; readonly item: Shape }
  | { readonly kind: "map"; readonly value: Shape }
  | {
      readonly kind: "struct";
      readonly members: readonly { readonly name: string; readonly shape: Shape }[];
    };

/** Types that DuckDB's own JSON spells differently from Arrow columns. */
const SPELLED_DIFFERENTLY = /BLOB|TIMESTAMP/;

/** Writes a value of a column as JSON: timestamps as ISO 8601, bytes as base64, all others as DuckDB writes them. */
export function jsonValue(type: string, value: Sql): Sql {
  return SPELLED_DIFFERENTLY.test(type) ? shapedValue(readShape(type), value, 0) : sql`to_json(${value})`;
}

function shapedValue(shape: Shape, value: Sql, depth: number): Sql {
  const variable = identifier(`v${depth}`);
  switch (shape.kind) {
    case "leaf":
      return leafValue(shape.name, value);
    case "list":
      return sql`to_json(list_transform(${value}, lambda ${variable}: ${shapedValue(shape.item, variable, depth + 1)}))`;
    case "map": {
      const inner = shapedValue(shape.value, sql`${variable}.value`, depth + 1);
      return sql`to_json(map_from_entries(list_transform(map_entries(${value}), lambda ${variable}: {'key': ${variable}.key, 'value': ${inner}})))`;
    }
    case "struct": {
      const members = shape.members.map(
        ({ name, shape: of }) =>
          sql`${text(name)}, ${shapedValue(of, sql`struct_extract(${value}, ${text(name)})`, depth)}`,
      );
      return sql`CASE WHEN ${value} IS NOT NULL THEN json_object(${join(members, sql`, `)}) END`;
    }
  }
}

function leafValue(type: string, value: Sql): Sql {
  if (type === "BLOB") return sql`to_json(base64(${value}))`;
  if (type === "TIMESTAMP WITH TIME ZONE")
    return sql`to_json(strftime(${value} AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%fZ'))`;
  if (type.startsWith("TIMESTAMP"))
    return sql`to_json(strftime(${value}::TIMESTAMP, '%Y-%m-%dT%H:%M:%S.%f'))`;
  return sql`to_json(${value})`;
}

/** The text of a type, and how far it has been read. */
interface Cursor {
  readonly type: string;
  at: number;
}

/** Parses a type such as `STRUCT(a BLOB, "b c" MAP(VARCHAR, TIMESTAMP)[])`. */
function readShape(type: string): Shape {
  return nextShape({ type, at: 0 });
}

function nextShape(cursor: Cursor): Shape {
  let found = innerShape(cursor);
  while (match(cursor, /\[\d*\]/y) !== "") found = { kind: "list", item: found };
  return found;
}

function innerShape(cursor: Cursor): Shape {
  if (take(cursor, "STRUCT(")) return nextStruct(cursor);
  if (take(cursor, "MAP(")) return nextMap(cursor);
  const name = match(cursor, /[A-Z_0-9 ]+(?:\((?:'(?:[^']|'')*'|[^')])*\))?/y);
  if (name === "") throw new TypeError(`unknown type: ${cursor.type}`);
  return { kind: "leaf", name };
}

function nextStruct(cursor: Cursor): Shape {
  const members: { name: string; shape: Shape }[] = [];
  do members.push({ name: nextName(cursor), shape: nextShape(cursor) });
  while (take(cursor, ", "));
  take(cursor, ")");
  return { kind: "struct", members };
}

function nextMap(cursor: Cursor): Shape {
  nextShape(cursor);
  take(cursor, ", ");
  const value = nextShape(cursor);
  take(cursor, ")");
  return { kind: "map", value };
}

function nextName(cursor: Cursor): string {
  const found = match(cursor, /"(?:[^"]|"")*"|[^\s(),"]+/y);
  take(cursor, " ");
  return found.startsWith('"') ? found.slice(1, -1).replaceAll('""', '"') : found;
}

function take(cursor: Cursor, mark: string): boolean {
  const found = cursor.type.startsWith(mark, cursor.at);
  if (found) cursor.at += mark.length;
  return found;
}

/**
 * Returns the text that a sticky pattern matches at the cursor, empty where it does not match, and moves the cursor
 * past it.
 */
function match(cursor: Cursor, pattern: RegExp): string {
  pattern.lastIndex = cursor.at;
  const [found = ""] = pattern.exec(cursor.type) ?? [];
  cursor.at += found.length;
  return found;
}
