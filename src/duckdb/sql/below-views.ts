import type { Session } from "../../store/session.ts";
import { integerConstant, objectAt, replaceNodes, type Tree, type TreeNode } from "./syntax/tree.ts";
import { frameQuery, type ReadColumns, viewTable } from "./views/view-tables.ts";
import type { ViewName } from "../views/views.ts";

/** The project whose records the views show. */
interface ShownProject {
  readonly key: number;
  /** Number of the parameter that is bound to the project's name. */
  readonly parameter: number;
}

interface ReadViews extends ReadColumns {
  readonly views: ReadonlySet<ViewName>;
}

/**
 * Puts a statement into a query whose common table expressions are the views. Each column of a view is null on a
 * record of another project, wherever DuckDB moves a condition or a cast of the statement, so that no error can
 * reveal a record that is not shown.
 */
export async function belowViews(
  session: Session,
  statement: TreeNode,
  read: ReadViews,
  project: ShownProject,
) {
  let takesProject = false;
  const ofProject = (node: TreeNode): TreeNode | null => {
    if (node["class"] !== "PARAMETER") return null;
    const { identifier, ...place } = node;
    if (identifier === "project_key") return { ...place, ...integerConstant(project.key) };
    takesProject = true;
    return { ...place, identifier: String(project.parameter) };
  };
  const tables: Tree[] = [];
  for (const name of [...read.views].toSorted()) {
    tables.push(replaceNodes(await viewTable(session, name, read), ofProject));
  }
  const frame = await frameQuery(session, read.texts === "in views" ? [] : read.texts);
  return { query: withStatement({ ...frame, cte_map: { map: tables } }, statement), takesProject };
}

/**
 * Returns the statement in a framed query that DuckDB has written and read again; null where anything around the
 * statement has changed, so that its text cannot end early and add to the frame.
 */
export function statementBelowViews(read: TreeNode, framed: TreeNode): TreeNode | null {
  const statement = objectAt(objectAt(objectAt(read, "from_table") ?? {}, "subquery") ?? {}, "node");
  return shapeOf(withStatement(read, {})) === shapeOf(withStatement(framed, {})) ? statement : null;
}

function withStatement(frame: TreeNode, statement: TreeNode): TreeNode {
  const source = objectAt(frame, "from_table") ?? {};
  return { ...frame, from_table: { ...source, subquery: { node: statement, named_param_map: [] } } };
}

const OMITTED: ReadonlySet<string> = new Set(["query_location", "materialized"]);

/**
 * The tree without positions in the text and without `materialized`, which DuckDB reads from a tree and does not
 * write into one.
 */
function shapeOf(tree: TreeNode): string {
  return JSON.stringify(tree, (name, value: unknown) => (OMITTED.has(name) ? undefined : value));
}
