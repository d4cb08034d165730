import { isNode, listAt, lower, text, type Tree, type TreeNode } from "../syntax/tree.ts";

/**
 * The names that a statement may mean a column of a view by, in lower case, and more that it has; null where it may mean
 * columns without their names: by a star, by their positions, or as a record.
 */
export function namedColumns(statement: TreeNode): ReadonlySet<string> | null {
  const names = new Set<string>();
  const tables = new Set<string>();
  const ends = new Set<string>();
  const takesAll = collect(statement, { names, tables, ends });
  return takesAll || [...ends].some((name) => tables.has(name)) ? null : names;
}

interface Names {
  readonly names: Set<string>;
  /** Names and aliases of tables. */
  readonly tables: Set<string>;
  /** Last names of references. */
  readonly ends: Set<string>;
}

function collect(value: Tree, found: Names): boolean {
  if (typeof value === "string") found.names.add(value.toLowerCase());
  if (Array.isArray(value))
    return (value as readonly Tree[]).map((item) => collect(item, found)).includes(true);
  if (!isNode(value)) return false;
  if (value["class"] === "COLUMN_REF") found.ends.add(lower(listAt(value, "column_names").at(-1)));
  if (value["type"] === "BASE_TABLE") {
    found.tables.add(lower(value["table_name"]));
    found.tables.add(lower(value["alias"]));
  }
  const within = Object.values(value).map((member) => collect(member, found));
  return takesAllOf(value) || within.includes(true);
}

const BY_POSITION: ReadonlySet<string> = new Set(["STAR", "POSITIONAL_REFERENCE"]);

function takesAllOf(node: TreeNode): boolean {
  return (
    BY_POSITION.has(text(node["class"])) ||
    node["type"] === "PIVOT" ||
    node["ref_type"] === "NATURAL" ||
    listAt(node, "column_name_alias").length > 0
  );
}
