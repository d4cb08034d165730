import type { Session } from "../../store/session.ts";
import { sql } from "../../store/sql.ts";
import type { ScoreColumn } from "../../plan/trial-table.ts";
import { WrittenNumber } from "./syntax/written-json.ts";
import { belowViews, statementBelowViews } from "./below-views.ts";
import { parameterValue } from "./bind-parameters.ts";
import type { StatementParameters } from "../../store/statements.ts";
import { checkStatement } from "./check-statement.ts";
import { allowedFunctions } from "./cost/function-rules.ts";
import { LIMITS } from "./cost/limits.ts";
import { measureStatement } from "./cost/queries.ts";
import { parseSelect, writeSelect } from "./syntax/parse.ts";
import { bareTexts, textsRead } from "./views/bare-texts.ts";
import { namedColumns } from "./views/named-columns.ts";
import { VIEW_NAMES, VIEWS } from "../views/views.ts";
import { resultsSize } from "./views/result-dimensions.ts";
import { listOfViews } from "./views/view-tables.ts";
import {
  invalidStatement,
  isNode,
  listAt,
  lower,
  numberAt,
  objectAt,
  refusedStatement,
  replaceNodes,
  text as textOf,
  type TreeNode,
  withParts,
} from "./syntax/tree.ts";

/** A statement as it will run: written from the checked tree, below the views that it reads. */
export interface RewrittenStatement {
  readonly text: string;
  /** Names of the parameters in the order of their numbers in `text`. */
  readonly parameterNames: readonly string[];
  /** Whether one more parameter follows, the name of the project. */
  readonly takesProject: boolean;
  /** The columns that it may mean that have long texts; none where the database has none. */
  readonly texts: readonly string[];
}

interface Asked {
  readonly given: StatementParameters;
  readonly limits: "strict" | undefined;
  /** The project that the statement is about, and its score dimensions as columns. */
  readonly project: { readonly key: number; readonly dimensions: () => Promise<readonly ScoreColumn[]> };
}

/**
 * Parses a statement with DuckDB's own parser, checks its tree, and writes it from the tree over the views of a
 * project; the written text is parsed and checked again. Throws `RequestError`.
 */
export async function rewriteStatement(
  session: Session,
  statement: string,
  { given, limits, project: queried }: Asked,
): Promise<RewrittenStatement> {
  if (limits === "strict") checkText(statement);
  const functions = functionsFor(limits);
  const mostCharacters = limits === "strict" ? LIMITS.treeCharacters : Number.POSITIVE_INFINITY;
  const sent = await withListsOfViews(session, await parseSelect(session, statement, mostCharacters));
  const named = namedColumns(sent);
  const query = joinByTrial(sent, named);
  const { views, parameters } = checkStatement(query, functions);
  const all = views.has("results") ? await queried.dimensions() : [];
  const dimensions = all.filter(({ name }) => named === null || named.has(name.toLowerCase()));
  if (limits === "strict")
    measureStatement(query, (name) => parameterValue(given, name), resultsSize(dimensions));
  const parameterNames = orderedNames(parameters);
  const project = { key: queried.key, parameter: parameterNames.length + 1 };
  const longTexts = (await hasLongTexts(session)) ? textsRead(views, named) : [];
  const texts = longTexts.length === 0 ? [] : (bareTexts(query, views) ?? ("in views" as const));
  const read = { views, named, dimensions, texts };
  const framed = await belowViews(session, writableQuery(query, parameterNames), read, project);
  const { text, read: readAgain } = await writeSelect(session, framed.query);
  const written = statementBelowViews(readAgain, framed.query);
  if (written === null) {
    throw refusedStatement("a statement that DuckDB reads differently once it has written it", REWORD, null);
  }
  checkStatement(written, functions, views);
  return { text, parameterNames, takesProject: framed.takesProject, texts: longTexts };
}

async function hasLongTexts(session: Session): Promise<boolean> {
  return (await session.rows(sql`SELECT 1 FROM pieces LIMIT 1`)).length > 0;
}

/** The functions that a statement may call: those whose results have no bound where its cost need not have one. */
function functionsFor(limits: "strict" | undefined): Pick<ReadonlySet<string>, "has"> {
  const { rules, unbounded } = allowedFunctions();
  return { has: (name) => rules.has(name) || (limits !== "strict" && unbounded.has(name)) };
}

/** The statement with lists of the views instead of `SHOW TABLES`. */
async function withListsOfViews(session: Session, query: TreeNode): Promise<TreeNode> {
  const list = await listOfViews(session);
  return replaceNodes(query, (node) =>
    node["type"] === "SHOW_REF" && LISTS.has(textOf(node["table_name"])) ? list : null,
  );
}

/** How DuckDB's parser names what `SHOW TABLES`, and a `DESCRIBE` or `SHOW` of nothing, show. */
const LISTS: ReadonlySet<string> = new Set(['"tables"', "__show_tables_expanded"]);

const REWORD = "write it in other words";

function checkText(statement: string): void {
  if (statement.length > LIMITS.characters) {
    throw invalidStatement(
      `the statement is longer than ${LIMITS.characters.toLocaleString("en-US")} characters`,
      null,
    );
  }
  if (statement.split("/*").length > LIMITS.comments + 1) {
    throw invalidStatement(`the statement has more than ${LIMITS.comments} comments`, null);
  }
}

/** Orders the parameters: numbers by value, names alphabetically. A statement may use only one kind. */
function orderedNames(names: ReadonlySet<string>): string[] {
  const named = [...names].filter((name) => !/^\d+$/.test(name));
  if (named.length === 0) {
    const most = Math.max(0, ...[...names].map(Number));
    if (most > 10_000) throw invalidStatement("the statement has a parameter numbered beyond 10,000", null);
    return Array.from({ length: most }, (_, i) => String(i + 1));
  }
  if (named.length < names.size) {
    throw invalidStatement("the statement has named and numbered parameters; use one kind", null);
  }
  return named.toSorted();
}

/** The query with numbered parameters, and with constants that DuckDB writes without loss of their types. */
function writableQuery(query: TreeNode, parameterNames: readonly string[]): TreeNode {
  const numbers = new Map(parameterNames.map((name, i) => [name, String(i + 1)]));
  const writable = (node: TreeNode): TreeNode | null => {
    if (node["class"] === "CONSTANT") return writableConstant(node);
    if (node["class"] !== "PARAMETER") return null;
    return { ...node, identifier: numbers.get(textOf(node["identifier"])) ?? "" };
  };
  return replaceNodes(query, writable);
}

/**
 * Converts a constant to a cast where DuckDB would write it with another type: it writes the double 1e3 as `1000.0`,
 * which it reads as a decimal, and the decimal `5.` as `5`, which it reads as an integer. Null where the constant can
 * stay as it is.
 */
function writableConstant(constant: TreeNode): TreeNode | null {
  const { value, ...place } = constant;
  if (!isNode(value) || value["is_null"] !== false) return null;
  const type = objectAt(value, "type") ?? {};
  const id = textOf(type["id"]);
  const isWhole = id === "DECIMAL" && numberAt(objectAt(type, "type_info") ?? {}, "scale") === 0;
  if (id !== "DOUBLE" && !isWhole) return null;
  const number = value["value"];
  const spelling = id === "DOUBLE" && number instanceof WrittenNumber ? number.spelling : null;
  const child = spelling === null ? value : { type: { id: "VARCHAR" }, is_null: false, value: spelling };
  return {
    ...place,
    class: "CAST",
    type: "OPERATOR_CAST",
    child: { class: "CONSTANT", type: "VALUE_CONSTANT", value: child },
    cast_type: type,
    try_cast: false,
  };
}

/** What the views of trials have in common besides `trial_id`, and the same of each trial. */
const COMMON = ["evaluation_call_id", "row_digest"] as const;

const OF_TRIALS: ReadonlySet<string> = new Set(
  VIEW_NAMES.filter((name) => ["trial_id", ...COMMON].every((column) => column in VIEWS[name].columns)),
);

/**
 * The statement with each join of these views `USING (trial_id)` by the evaluation and the row as well, where it names
 * them: they are one column then, and not ambiguous. `named` is null where it may mean all columns.
 */
function joinByTrial(statement: TreeNode, named: ReadonlySet<string> | null): TreeNode {
  const added = COMMON.filter((name) => named === null || named.has(name));
  return added.length === 0 ? statement : joined(statement, added);
}

function joined(node: TreeNode, added: readonly string[]): TreeNode {
  const copy = withParts(node, (part) => joined(part, added));
  const columns = new Set(listAt(copy, "using_columns").map(lower));
  const isByTrial = copy["type"] === "JOIN" && columns.has("trial_id");
  if (!isByTrial || !hasCommon(objectAt(copy, "left")) || !hasCommon(objectAt(copy, "right"))) return copy;
  const others = added.filter((name) => !columns.has(name));
  return { ...copy, using_columns: [...listAt(copy, "using_columns"), ...others] };
}

/** Whether a source has the common columns, each once. */
function hasCommon(source: TreeNode | null): boolean {
  if (source === null) return false;
  if (source["type"] === "JOIN")
    return (
      listAt(source, "using_columns").map(lower).includes("trial_id") &&
      hasCommon(objectAt(source, "left")) &&
      hasCommon(objectAt(source, "right"))
    );
  const isRenamed = listAt(source, "column_name_alias").length > 0;
  return source["type"] === "BASE_TABLE" && OF_TRIALS.has(lower(source["table_name"])) && !isRenamed;
}
