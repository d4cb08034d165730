import { parseWrittenJson, writeWrittenJson } from "./written-json.ts";
import type { Session } from "../../../store/session.ts";
import { sql, text } from "../../../store/sql.ts";
import {
  invalidStatement,
  isNode,
  listAt,
  objectAt,
  refusedStatement,
  text as textOf,
  type Tree,
  type TreeNode,
} from "./tree.ts";

/**
 * Parses a text that must be one SELECT with DuckDB's own parser and returns its query. Throws `RequestError`, also
 * where the tree has more than `mostCharacters` characters in JSON.
 */
export async function parseSelect(
  session: Session,
  statement: string,
  mostCharacters = Number.POSITIVE_INFINITY,
): Promise<TreeNode> {
  const [parsed] = await session.rows(
    sql`SELECT json_serialize_sql(${text(statement)}::VARCHAR, skip_null := true)`,
  );
  const written = String(parsed?.[0]);
  if (written.length > mostCharacters) throw invalidStatement("the statement has too many parts", null);
  return onlyQuery(written);
}

/** Returns the text of a query, written by DuckDB, and the query that DuckDB's parser makes of it. */
export async function writeSelect(session: Session, query: TreeNode) {
  const tree = writeWrittenJson({ error: false, statements: [{ node: query, named_param_map: [] }] });
  const [found = []] = await session.rows(
    sql`SELECT written, json_serialize_sql(written, skip_null := true)
      FROM (SELECT json_deserialize_sql(CAST(${text(tree)}::VARCHAR AS JSON)) AS written)`,
  );
  return { text: String(found[0]), read: onlyQuery(String(found[1])) };
}

/** The query in what `json_serialize_sql` gave. */
function onlyQuery(serialized: string): TreeNode {
  const tree = readTree(serialized);
  if (!isNode(tree) || tree["error"] !== false) throw parserFault(tree);
  const [only, ...others] = listAt(tree, "statements");
  const query = isNode(only) ? objectAt(only, "node") : null;
  if (query !== null && others.length === 0) return query;
  throw refusedStatement(
    query === null ? "a text without a statement" : "more than one statement",
    "write one SELECT",
    null,
  );
}

function readTree(written: string): Tree {
  try {
    return parseWrittenJson(written);
  } catch (error) {
    // DuckDB writes a number beyond the range of doubles as a bare word.
    if (error instanceof SyntaxError)
      throw invalidStatement("the statement has a number that is too large", null);
    if (error instanceof RangeError) throw invalidStatement("the statement is nested too deep", null);
    throw error;
  }
}

function parserFault(tree: Tree): Error {
  const fault = isNode(tree) ? tree : {};
  const said = textOf(fault["error_message"]);
  // DuckDB puts a part of the statement between quotation marks as it is.
  const message = said.replace(/ near "([^]*)"$/, (_, part: string) => ` near ${JSON.stringify(part)}`);
  if (message.includes("Only SELECT statements")) {
    return refusedStatement(
      "a statement other than SELECT",
      "write one SELECT; a PIVOT lists its values, as in PIVOT scores ON scorer_key IN ('a', 'b') USING count(*)",
      null,
    );
  }
  const position = Number.parseInt(textOf(fault["position"]), 10);
  return invalidStatement(message, Number.isNaN(position) ? null : position);
}
