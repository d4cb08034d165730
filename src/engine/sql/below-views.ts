import { packageFile } from "../../package-files.ts";
import { WrittenNumber } from "./syntax/written-json.ts";
import type { Session } from "../../store/session.ts";
import { parseSelect } from "./syntax/parse.ts";
import { commonTables, objectAt, replaceNodes, type Tree, type TreeNode } from "./syntax/tree.ts";
import type { ViewName } from "./views.ts";

/**
 * The query around a statement, in which the statement replaces `SELECT 1`. As a table the statement's result has
 * each column name once.
 */
const FRAME = "SELECT * FROM (SELECT 1)";

/** The project whose records the views show. */
interface ShownProject {
  readonly key: number;
  /** Number of the parameter that is bound to the project's name. */
  readonly parameter: number;
}

interface FramedQuery {
  readonly query: TreeNode;
  /** Whether the parameter with the project's name occurs. */
  readonly takesProject: boolean;
}

/**
 * Puts a statement into a query whose common table expressions are the views. Each column of a view is null on a
 * record of another project, wherever DuckDB moves a condition or a cast of the statement, so that no error can
 * reveal a record that is not shown.
 */
export async function belowViews(
  session: Session,
  statement: TreeNode,
  views: ReadonlySet<ViewName>,
  project: ShownProject,
): Promise<FramedQuery> {
  let takesProject = false;
  const ofProject = (node: TreeNode): TreeNode | null => {
    if (node["class"] !== "PARAMETER") return null;
    const { identifier, ...place } = node;
    if (identifier === "project_key") return { ...place, ...integerConstant(project.key) };
    takesProject = true;
    return { ...place, identifier: String(project.parameter) };
  };
  const tables: Tree[] = [];
  for (const name of [...views].toSorted()) {
    tables.push(replaceNodes(await viewTable(session, name), ofProject));
  }
  const frame = await parseOnce(session, "frame", () => FRAME);
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

/**
 * Returns a view as a common table expression, which is planned anew at each reference, with the conditions found
 * there.
 */
async function viewTable(session: Session, name: ViewName): Promise<TreeNode> {
  const query = await parseOnce(session, name, () => {
    return `WITH ${name} AS (${packageFile(`sql/duckdb/views/${name}.sql`)}) ${FRAME}`;
  });
  const [table = {}] = commonTables(query);
  return { ...table, value: { ...objectAt(table, "value"), materialized: "CTE_MATERIALIZE_NEVER" } };
}

/** Parsed trees of the frame and the views, which are the same for every database. */
const parsed = new Map<"frame" | ViewName, TreeNode>();

async function parseOnce(
  session: Session,
  part: "frame" | ViewName,
  written: () => string,
): Promise<TreeNode> {
  const tree = parsed.get(part) ?? (await parseSelect(session, written()));
  parsed.set(part, tree);
  return tree;
}

function integerConstant(value: number): TreeNode {
  const number = new WrittenNumber(String(value));
  return {
    class: "CONSTANT",
    type: "VALUE_CONSTANT",
    value: { type: { id: "INTEGER" }, is_null: false, value: number },
  };
}
