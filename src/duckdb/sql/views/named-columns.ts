import {
  isNode,
  listAt,
  lower,
  objectAt,
  objectsAt,
  text,
  type Tree,
  type TreeNode,
} from "../syntax/tree.ts";

/**
 * The names that a statement may mean a column of a view by, in lower case, and more that it has; null where it may
 * mean columns without their names: by a star, by their positions, or as a record.
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
  const within = Object.entries(value).map(([name, member]) =>
    collect(name === "modifiers" ? objectsAt(value, name).filter((one) => !ordersByAll(one)) : member, found),
  );
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

/** Whether a query is ordered by all that it selects, which DuckDB's parser writes as a star. */
function ordersByAll(modifier: TreeNode): boolean {
  const [only, ...others] = objectsAt(modifier, "orders");
  const star = only === undefined || others.length > 0 ? null : objectAt(only, "expression");
  return (
    modifier["type"] === "ORDER_MODIFIER" &&
    star?.["class"] === "STAR" &&
    text(star["relation_name"]) === "" &&
    objectAt(star, "expr") === null &&
    LISTS_OF_STAR.every((name) => listAt(star, name).length === 0)
  );
}

export const LISTS_OF_STAR = [
  "exclude_list",
  "qualified_exclude_list",
  "replace_list",
  "rename_list",
] as const;
