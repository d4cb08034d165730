import { isNode, listAt, lower, objectAt, objectsAt, type Tree, type TreeNode } from "../syntax/tree.ts";

/**
 * The query of a view with the named columns alone, and without the left joins that only other columns need. Each of these
 * joins finds at most one record, so the others stay the same. `named` is null where all columns are needed. `isAlone` tells
 * whether the view needs a column though none is named.
 */
export function narrowView(view: TreeNode, named: ReadonlySet<string> | null, isAlone: boolean): TreeNode {
  if (named === null) return view;
  const all = objectsAt(view, "select_list");
  const wanted = all.filter((item) => named.has(lower(item["alias"]) || lastName(item)));
  const list = wanted.length === 0 && isAlone ? all.slice(0, 1) : wanted;
  const source = objectAt(view, "from_table");
  const { from_table: _source, select_list: _list, ...rest } = view;
  return {
    ...view,
    select_list: list,
    from_table: source === null ? null : withoutUnread(source, tablesIn([list, rest])),
  };
}

function lastName(item: TreeNode): string {
  return lower(listAt(item, "column_names").at(-1));
}

/** The source without left joins to tables whose names are not among `read`. */
function withoutUnread(source: TreeNode, read: ReadonlySet<string>): TreeNode {
  const left = objectAt(source, "left");
  const right = objectAt(source, "right");
  if (source["type"] !== "JOIN" || left === null || right === null) return source;
  if (source["join_type"] === "LEFT" && !read.has(lower(right["alias"]))) return withoutUnread(left, read);
  const here = tablesIn(source["condition"] ?? null);
  return { ...source, left: withoutUnread(left, new Set([...read, ...here])) };
}

/** The names of tables in references to their columns. */
function tablesIn(value: Tree): Set<string> {
  if (Array.isArray(value)) return new Set((value as readonly Tree[]).flatMap((item) => [...tablesIn(item)]));
  if (!isNode(value)) return new Set();
  if (value["class"] === "COLUMN_REF") return new Set([lower(listAt(value, "column_names")[0])]);
  return new Set(Object.values(value).flatMap((member) => [...tablesIn(member)]));
}
