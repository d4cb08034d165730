import { didYouMean } from "../../model/nearest.ts";
import { typeBytes } from "./cost/cast-types.ts";
import {
  commonTables,
  isNode,
  lower,
  objectAt,
  positionOf,
  refusedStatement,
  text,
  textInTree,
  type Tree,
  type TreeNode,
} from "./syntax/tree.ts";
import { isViewName, VIEW_NAMES, type ViewName } from "../views/views.ts";

const CLASSES: ReadonlySet<string> = new Set([
  "BETWEEN",
  "CASE",
  "CAST",
  "COLLATE",
  "COLUMN_REF",
  "COMPARISON",
  "CONJUNCTION",
  "CONSTANT",
  "FUNCTION",
  "LAMBDA",
  "LAMBDA_REF",
  "OPERATOR",
  "PARAMETER",
  "POSITIONAL_REFERENCE",
  "STAR",
  "SUBQUERY",
  "WINDOW",
]);

/** Allowed node types: queries, sources and modifiers. */
const TYPES: ReadonlySet<string> = new Set([
  "SELECT_NODE",
  "SET_OPERATION_NODE",
  "RECURSIVE_CTE_NODE",
  "BASE_TABLE",
  "SUBQUERY",
  "JOIN",
  "TABLE_FUNCTION",
  "EMPTY",
  "EXPRESSION_LIST",
  "PIVOT",
  "SHOW_REF",
  "LIMIT_MODIFIER",
  "LIMIT_PERCENT_MODIFIER",
  "ORDER_MODIFIER",
  "DISTINCT_MODIFIER",
  "ORDER_DEFAULT",
  "ASCENDING",
  "DESCENDING",
]);

const TABLE_FUNCTIONS: ReadonlySet<string> = new Set([
  "unnest",
  "range",
  "generate_series",
  "json_each",
  "json_tree",
]);

/** Names that DuckDB takes for a call of the function of that name where no column has them. */
const SESSION_NAMES: ReadonlySet<string> = new Set([
  "current_catalog",
  "current_role",
  "current_schema",
  "current_user",
  "session_user",
]);

function ofSession(name: string, position: number | null) {
  const advice = "DuckDB reads it as a call that tells about the session; give the column another name";
  return refusedStatement(`the name ${name}`, advice, position);
}

const READABLE = `a statement reads the views ${VIEW_NAMES.join(", ")}, its own common table expressions, subqueries and values`;

/** The names of the allowed functions. */
type Functions = Pick<ReadonlySet<string>, "has">;

/** Inputs and findings of a walk through a tree. */
interface Walk {
  readonly functions: Functions;
  readonly readable: ReadonlySet<string>;
  readonly views: Set<ViewName>;
  readonly parameters: Set<string>;
  /** Positions of the name `user` without a table: a column of `evaluations` has it. */
  readonly users: (number | null)[];
}

/** Names of the common table expressions that can be read at some point of the statement, in lower case. */
type Scope = ReadonlySet<string>;

/**
 * Walks the syntax tree that DuckDB's parser made of a statement. Anything that is not known to be harmless throws a
 * `RequestError` that names it and its position. `readable` are the views that the statement may read.
 */
export function checkStatement(
  tree: Tree,
  functions: Functions,
  readable: ReadonlySet<string> = new Set(VIEW_NAMES),
) {
  const walk: Walk = { functions, readable, views: new Set(), parameters: new Set(), users: [] };
  visit(walk, tree, new Set());
  const [user] = walk.users;
  if (user !== undefined && !walk.views.has("evaluations")) throw ofSession("user", user);
  return { views: walk.views, parameters: walk.parameters };
}

function visit(walk: Walk, value: Tree | undefined, scope: Scope): void {
  if (Array.isArray(value)) for (const item of value as readonly Tree[]) visit(walk, item, scope);
  if (!isNode(value)) return;
  const inner = "cte_map" in value ? visitCommonTables(walk, value, scope) : scope;
  const kind = value["class"];
  if (typeof kind === "string") checkExpression(walk, value, kind);
  else if (typeof value["type"] === "string") checkNode(walk, value, value["type"], inner);
  if (kind === "CONSTANT") return;
  for (const [name, member] of Object.entries(value)) {
    if (name !== "cte_map") visit(walk, member, inner);
  }
}

/** Each common table expression sees those before it, and itself where it is recursive. */
function visitCommonTables(walk: Walk, query: TreeNode, scope: Scope): Scope {
  const seen = new Set(scope);
  for (const entry of commonTables(query)) {
    const name = lower(entry["key"]);
    if (isViewName(name)) {
      throw refusedStatement(
        `a common table expression named ${JSON.stringify(name)}`,
        "the name belongs to a view; choose another name",
        null,
      );
    }
    const recursive = textInTree(entry, "value", "query", "node", "type") === "RECURSIVE_CTE_NODE";
    visit(walk, entry["value"], recursive ? new Set([...seen, name]) : seen);
    seen.add(name);
  }
  return seen;
}

function checkExpression(walk: Walk, expression: TreeNode, kind: string): void {
  const position = positionOf(expression);
  if (!CLASSES.has(kind)) {
    throw refusedStatement(
      `an expression of the kind ${kind}`,
      "a statement is made of plain expressions",
      position,
    );
  }
  const name = kind === "COLUMN_REF" ? onlyName(expression["column_names"]) : "";
  if (SESSION_NAMES.has(name)) throw ofSession(name, position);
  if (name === "user") walk.users.push(position);
  if (kind === "PARAMETER") walk.parameters.add(text(expression["identifier"]));
  const type = kind === "CAST" ? objectAt(expression, "cast_type") : null;
  if (type !== null) typeBytes(type, expression);
  if (kind === "FUNCTION" || kind === "WINDOW") checkFunction(walk, expression, position);
}

function checkFunction({ functions }: Walk, expression: TreeNode, position: number | null): void {
  const name = text(expression["function_name"]);
  const schema = text(expression["schema"]);
  if ((schema !== "" && schema !== "main") || text(expression["catalog"]) !== "") {
    throw refusedStatement(`a call of ${name} with a schema`, "call functions by their bare names", position);
  }
  if (!functions.has(name) && !functions.has(name.toLowerCase())) {
    throw refusedStatement(
      `the function ${name}`,
      "a statement calls the functions that sql/duckdb/views/functions-allowed.txt lists",
      position,
    );
  }
}

function checkNode(walk: Walk, node: TreeNode, type: string, scope: Scope): void {
  const position = positionOf(node);
  if (type.endsWith("_TYPE_INFO")) return;
  if (!TYPES.has(type)) throw refusedStatement(`${type} in a statement`, READABLE, position);
  if (type === "BASE_TABLE") checkTable(walk, node, scope, position);
  if (type === "SHOW_REF") checkDescription(node, position);
  if (type !== "TABLE_FUNCTION") return;
  const name = textInTree(node, "function", "function_name").toLowerCase();
  if (TABLE_FUNCTIONS.has(name)) return;
  throw refusedStatement(
    `reading from ${name}()`,
    `${READABLE}; the functions to read from are ${[...TABLE_FUNCTIONS].join(", ")}`,
    position,
  );
}

function checkTable({ readable, views }: Walk, node: TreeNode, scope: Scope, position: number | null): void {
  const name = text(node["table_name"]);
  const qualified = text(node["schema_name"]) !== "" || text(node["catalog_name"]) !== "";
  if (qualified || (node["at_clause"] ?? null) !== null) {
    throw refusedStatement(
      `reading ${JSON.stringify(name)} with a schema, a catalog or a time`,
      READABLE,
      position,
    );
  }
  const known = name.toLowerCase();
  if (scope.has(known)) return;
  if (!isViewName(known) || !readable.has(known)) {
    const near = didYouMean(name, [...scope, ...readable]);
    throw refusedStatement(`reading ${JSON.stringify(name)}`, `${READABLE}${near}`, position);
  }
  views.add(known);
}

/** `DESCRIBE` and `SUMMARIZE` of a query, which is walked like any other. */
function checkDescription(node: TreeNode, position: number | null): void {
  const isNamed = ["table_name", "catalog_name", "schema_name"].some((name) => text(node[name]) !== "");
  const isKnown = ["DESCRIBE", "SUMMARY"].includes(text(node["show_type"]));
  if (isKnown && !isNamed && isNode(node["query"])) return;
  throw refusedStatement(
    "this SHOW or DESCRIBE",
    "write SHOW TABLES, or DESCRIBE or SUMMARIZE of a view or a SELECT",
    position,
  );
}

function onlyName(names: Tree | undefined): string {
  return Array.isArray(names) && names.length === 1 ? lower(names[0] as Tree) : "";
}
