import { type ViewName, VIEWS } from "../../views/views.ts";
import { textColumns } from "../../views/view.ts";
import { commonTables, listAt, lower, objectAt, objectsAt, text, type TreeNode } from "../syntax/tree.ts";
import { LISTS_OF_STAR, namedColumns } from "./named-columns.ts";

/** The columns with long texts that a statement may mean; `named` is null where it may mean all of these views. */
export function textsRead(views: Iterable<ViewName>, named: ReadonlySet<string> | null): readonly string[] {
  const texts = [...views].flatMap((name) => textColumns(VIEWS[name].columns));
  return [...new Set(texts)].filter((name) => named === null || named.has(name));
}

/**
 * The columns of the result that are texts as they are stored, where the statement does nothing else with texts: they
 * can be read last, of the records that are left. Null where it does, and where that is hard to tell.
 */
export function bareTexts(statement: TreeNode, views: ReadonlySet<ViewName>): readonly string[] | null {
  if (!selectsPlainly(statement)) return null;
  const list = objectsAt(statement, "select_list");
  const view = viewOfStar(statement, list, views);
  const texts = new Set(textsRead(views, null));
  const bare = view === null ? list.filter((item) => texts.has(lastName(item))) : list;
  const results = view === null ? bare.map(resultName) : textColumns(VIEWS[view].columns);
  const names = namedColumns({ ...statement, select_list: list.filter((item) => !bare.includes(item)) });
  const used = [...texts, ...results].map((name) => name.toLowerCase());
  const isApart =
    names !== null &&
    !used.some((name) => names.has(name)) &&
    bare.every((item) => isTextWhereverItIs(lastName(item), views));
  return isApart && new Set(results.map((name) => name.toLowerCase())).size === results.length
    ? results
    : null;
}

/** Whether no other of these views has a column of that name that is not a text. */
function isTextWhereverItIs(name: string, views: ReadonlySet<ViewName>): boolean {
  return [...views].every((view) => {
    const { columns } = VIEWS[view];
    return !Object.hasOwn(columns, name) || textColumns(columns).includes(name);
  });
}

/** What may mean a column of the result by its place: `ORDER BY 1`, `ORDER BY ALL`. */
const PLACES: ReadonlySet<string> = new Set(["CONSTANT", "PARAMETER", "STAR"]);

/** Whether the records of the result are those of its sources, one each, in an order that no text decides. */
function selectsPlainly(statement: TreeNode): boolean {
  return (
    statement["type"] === "SELECT_NODE" &&
    statement["aggregate_handling"] === "STANDARD_HANDLING" &&
    listAt(statement, "group_expressions").length === 0 &&
    !objectsAt(statement, "modifiers").some(
      (modifier) => modifier["type"] === "DISTINCT_MODIFIER" || ordersByPlace(modifier),
    )
  );
}

function ordersByPlace(modifier: TreeNode): boolean {
  return objectsAt(modifier, "orders").some((order) =>
    PLACES.has(text(objectAt(order, "expression")?.["class"])),
  );
}

/** The view whose columns a statement selects, all and nothing else; else null. */
function viewOfStar(
  statement: TreeNode,
  [star, ...others]: readonly TreeNode[],
  views: ReadonlySet<ViewName>,
): ViewName | null {
  const source = objectAt(statement, "from_table") ?? {};
  const isPlain =
    star?.["class"] === "STAR" &&
    others.length === 0 &&
    objectAt(star, "expr") === null &&
    LISTS_OF_STAR.every((name) => listAt(star, name).length === 0) &&
    source["type"] === "BASE_TABLE" &&
    listAt(source, "column_name_alias").length === 0 &&
    commonTables(statement).length === 0;
  return isPlain ? ([...views].find((name) => name === lower(source["table_name"])) ?? null) : null;
}

function lastName(item: TreeNode): string {
  return item["class"] === "COLUMN_REF" ? lower(listAt(item, "column_names").at(-1)) : "";
}

function resultName(item: TreeNode): string {
  return text(item["alias"]) || text(listAt(item, "column_names").at(-1));
}
