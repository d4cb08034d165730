import {
  lower,
  numberAt,
  objectAt,
  objectsAt,
  positionOf,
  refusedStatement,
  text,
  type TreeNode,
} from "../syntax/tree.ts";
import { SHORT_BYTES } from "./limits.ts";

/** First words of the types with short values, such as `TIMESTAMP` in `TIMESTAMP WITH TIME ZONE`. */
const SHORT_TYPES: ReadonlySet<string> = new Set([
  "BOOLEAN",
  "TINYINT",
  "UTINYINT",
  "SMALLINT",
  "USMALLINT",
  "INTEGER",
  "UINTEGER",
  "BIGINT",
  "UBIGINT",
  "HUGEINT",
  "UHUGEINT",
  "FLOAT",
  "DOUBLE",
  "DECIMAL",
  "DATE",
  "TIME",
  "TIMESTAMP",
  "INTERVAL",
  "UUID",
  "NULL",
]);

function isShort(id: string): boolean {
  return SHORT_TYPES.has(id.split(" ")[0] ?? "");
}

/** Factors of text: a list or a struct has signs between its values, and JSON has escapes as well. */
const TEXT_TIMES = 2;
const JSON_TIMES = 6;
/** Factor of a list from JSON or any other text: `[1,1,1]` has two characters per element. */
const LIST_TIMES = 8;

/** The most bytes of a cast value. */
export function castBytes(type: TreeNode, bytes: number, cast: TreeNode): number {
  const id = text(type["id"]);
  if (isShort(id)) return SHORT_BYTES;
  if (id === "VARCHAR" || id === "BLOB") return Math.max(4 * SHORT_BYTES, TEXT_TIMES * bytes);
  if (isJson(type)) return Math.max(4 * SHORT_BYTES, JSON_TIMES * bytes);
  return Math.max(typeBytes(type, cast), LIST_TIMES * bytes);
}

/** Bytes of a null value of the type. Throws `RequestError` for a type that a statement may not cast to. */
export function typeBytes(type: TreeNode, cast: TreeNode): number {
  const id = text(type["id"]);
  const info = objectAt(type, "type_info");
  if (isShort(id) || id === "VARCHAR" || id === "BLOB" || isJson(type)) return SHORT_BYTES;
  const child = info === null ? null : objectAt(info, "child_type");
  if (info !== null && child !== null && id === "ARRAY")
    return numberAt(info, "size") * typeBytes(child, cast);
  if (child !== null && (id === "LIST" || id === "MAP")) return SHORT_BYTES + typeBytes(child, cast);
  if (info !== null && id === "STRUCT") {
    const members = objectsAt(info, "child_types").map((member) => objectAt(member, "second"));
    return members.reduce(
      (sum, member) => sum + (member === null ? 0 : typeBytes(member, cast)),
      SHORT_BYTES,
    );
  }
  const name = id === "UNBOUND" ? text(info?.["name"]) : id;
  throw refusedStatement(
    `a cast to ${name}`,
    "cast to numbers, times, VARCHAR, BLOB, JSON, or lists, arrays, structs and maps of these",
    positionOf(cast),
  );
}

function isJson(type: TreeNode): boolean {
  return text(type["id"]) === "UNBOUND" && lower(objectAt(type, "type_info")?.["name"]) === "json";
}
