import { packageFile } from "../../../package-files.ts";
import type { ScoreColumn } from "../../../plan/trial-table.ts";
import type { Session } from "../../../store/session.ts";
import { parseSelect } from "../syntax/parse.ts";
import {
  commonTables,
  isNode,
  listAt,
  lower,
  objectAt,
  objectsAt,
  type Tree,
  type TreeNode,
} from "../syntax/tree.ts";
import {
  bytesOf,
  resultWithWholeTexts,
  textColumns,
  viewOfProject,
  withWholeTexts,
} from "../../views/view.ts";
import { VIEW_NAMES, VIEWS, type ViewName } from "../../views/views.ts";
import { withDimensions } from "./result-dimensions.ts";

/**
 * The query around a statement, in which the statement replaces `SELECT 1`. As a table the statement's result has
 * each column name once.
 */
const FRAME = "SELECT * FROM (SELECT 1)";

/** Returns that query without common table expressions, with the long texts of these columns of its result whole. */
export function frameQuery(session: Session, texts: readonly string[]): Promise<TreeNode> {
  if (texts.length === 0) return parseOnce(session, "frame", () => FRAME);
  return parseSelect(session, resultWithWholeTexts(texts, "SELECT 1"));
}

/** Returns a source with the names of the views in a column `name`. */
export async function listOfViews(session: Session): Promise<TreeNode> {
  const names = VIEW_NAMES.toSorted().map((name) => `('${name}')`);
  const query = await parseOnce(
    session,
    "list",
    () => `SELECT * FROM (VALUES ${names.join(", ")}) AS views(name)`,
  );
  return objectAt(query, "from_table") ?? {};
}

/**
 * Returns a view as a common table expression, which is planned anew at each reference, with the conditions found
 * there. It has the named columns only; null names all.
 */
export async function viewTable(
  session: Session,
  name: ViewName,
  { named, dimensions, texts }: ReadColumns,
): Promise<TreeNode> {
  const table = await viewFrame(session, name);
  const value = objectAt(table, "value") ?? {};
  const query = objectAt(value, "query") ?? {};
  const narrow = narrowView(objectAt(query, "node") ?? {}, named, dimensions.length === 0);
  const stubs = name === "results" ? await withColumns(session, narrow, dimensions) : narrow;
  const node = texts === "in views" ? await withTexts(session, name, stubs) : withoutBytes(name, stubs);
  return { ...table, value: { ...value, query: { ...query, node }, materialized: "CTE_MATERIALIZE_NEVER" } };
}

/** What of the views a statement reads. */
export interface ReadColumns {
  /** The columns, in lower case; null for all. */
  readonly named: ReadonlySet<string> | null;
  /** The dimensions of `results` among them. */
  readonly dimensions: readonly ScoreColumn[];
  /** Where long texts are read: in the views, or only in these columns of the result. */
  readonly texts: "in views" | readonly string[];
}

/** A view as a common table expression. */
async function viewFrame(session: Session, name: ViewName): Promise<TreeNode> {
  const query = () => viewOfProject(VIEWS[name]);
  const frame = await parseOnce(session, name, () => `WITH ${name} AS (${query()}) ${FRAME}`);
  return commonTables(frame)[0] ?? {};
}

function withoutBytes(name: ViewName, view: TreeNode): TreeNode {
  const bytes = new Set(textColumns(VIEWS[name].columns).map(bytesOf));
  const list = objectsAt(view, "select_list").filter((item) => !bytes.has(nameOfItem(item)));
  return { ...view, select_list: list };
}

/** The query of a view with long texts instead of their stubs. */
async function withTexts(session: Session, name: ViewName, view: TreeNode): Promise<TreeNode> {
  const read = new Set(objectsAt(view, "select_list").map(nameOfItem));
  const columns = textColumns(VIEWS[name].columns).filter((one) => read.has(one));
  if (columns.length === 0) return view;
  const frame = await parseOnce(session, `${name} with ${columns.join(", ")}`, () =>
    withWholeTexts(columns, "SELECT 1"),
  );
  const source = objectAt(frame, "from_table") ?? {};
  const subquery = objectAt(source, "subquery") ?? {};
  return { ...frame, from_table: { ...source, subquery: { ...subquery, node: view } } };
}

async function withColumns(session: Session, view: TreeNode, dimensions: readonly ScoreColumn[]) {
  const part = (name: DimensionPart) =>
    parseOnce(session, name, () => packageFile(`sql/duckdb/views/${name}.sql`));
  const queries = { few: await part("results-few"), many: await part("results-many") };
  return withDimensions(view, dimensions, queries);
}

type DimensionPart = "results-few" | "results-many";
type Part = "frame" | "list" | DimensionPart | ViewName | `${ViewName} with ${string}`;

/** Parsed trees, which are the same for every database. */
const parsed = new Map<Part, TreeNode>();

async function parseOnce(session: Session, part: Part, written: () => string): Promise<TreeNode> {
  const tree = parsed.get(part) ?? (await parseSelect(session, written()));
  parsed.set(part, tree);
  return tree;
}

/**
 * The query of a view with the named columns alone, and without the left joins that only other columns need. Each of
 * these joins finds at most one record, so the others stay the same. `named` is null where all columns are needed.
 * `isAlone` tells whether the view needs a column though none is named.
 */
function narrowView(view: TreeNode, named: ReadonlySet<string> | null, isAlone: boolean): TreeNode {
  if (named === null) return view;
  const all = objectsAt(view, "select_list");
  const wantedNames = new Set([...named, ...[...named].map(bytesOf)]);
  const wanted = all.filter((item) => wantedNames.has(nameOfItem(item)));
  const list = wanted.length === 0 && isAlone ? all.slice(0, 1) : wanted;
  const source = objectAt(view, "from_table");
  const { from_table: _source, select_list: _list, ...rest } = view;
  return {
    ...view,
    select_list: list,
    from_table: source === null ? null : withoutUnread(source, tablesIn([list, rest])),
  };
}

function nameOfItem(item: TreeNode): string {
  return lower(item["alias"]) || lower(listAt(item, "column_names").at(-1));
}

/** The source without left joins to tables whose names are not among `used`. */
function withoutUnread(source: TreeNode, used: ReadonlySet<string>): TreeNode {
  const left = objectAt(source, "left");
  const right = objectAt(source, "right");
  if (source["type"] !== "JOIN" || left === null || right === null) return source;
  if (source["join_type"] === "LEFT" && !used.has(lower(right["alias"]))) return withoutUnread(left, used);
  const here = tablesIn(source["condition"] ?? null);
  return { ...source, left: withoutUnread(left, new Set([...used, ...here])) };
}

/** The names of tables in references to their columns. */
function tablesIn(value: Tree): Set<string> {
  if (Array.isArray(value)) return new Set((value as readonly Tree[]).flatMap((item) => [...tablesIn(item)]));
  if (!isNode(value)) return new Set();
  if (value["class"] === "COLUMN_REF") return new Set([lower(listAt(value, "column_names")[0])]);
  return new Set(Object.values(value).flatMap((member) => [...tablesIn(member)]));
}
