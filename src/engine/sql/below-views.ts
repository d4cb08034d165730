import { readFileSync } from "node:fs";
import { WrittenNumber } from "../../model/json.ts";
import type { Session } from "../../store/session.ts";
import { parseSelect } from "./syntax/parse.ts";
import { commonTables, objectAt, replaceNodes, type Tree, type TreeNode } from "./syntax/tree.ts";
import type { ViewName } from "./views.ts";

const FOLDER = new URL("../../../sql/duckdb/views/", import.meta.url);

/** What surrounds a statement, which takes the place of `SELECT 1`. As a table its result has each column name once. */
const FRAME = "SELECT * FROM (SELECT 1)";

/** The project whose records the views show. */
interface ShownProject {
  readonly key: number;
  /** The number of the parameter that is bound to its name. */
  readonly parameter: number;
}

interface FramedQuery {
  readonly query: TreeNode;
  /** Whether the parameter with the name of the project occurs. */
  readonly takesProject: boolean;
}

/**
 * Puts a statement into a query whose common table expressions are the views. Each column of a view is null on a
 * record of another project, wherever DuckDB moves a condition or a cast of the statement: an error cannot tell of
 * what is not shown.
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
 * The statement in what DuckDB wrote of a framed query and read again; null where anything around it is not as it
 * was, so that no text of the statement ends before its place does.
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

/** All but places in the text, and `materialized`, which DuckDB reads from a tree and does not write into one. */
function shapeOf(tree: TreeNode): string {
  return JSON.stringify(tree, (name, value: unknown) => (OMITTED.has(name) ? undefined : value));
}

/** A view as common table expression. It is planned anew wherever it is read, with the conditions found there. */
async function viewTable(session: Session, name: ViewName): Promise<TreeNode> {
  const query = await parseOnce(session, name, () => {
    return `WITH ${name} AS (${readFileSync(new URL(`${name}.sql`, FOLDER), "utf8")}) ${FRAME}`;
  });
  const [table = {}] = commonTables(query);
  return { ...table, value: { ...objectAt(table, "value"), materialized: "CTE_MATERIALIZE_NEVER" } };
}

/** Trees of the frame and the views. DuckDB reads each of them in one way, whatever the database. */
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
