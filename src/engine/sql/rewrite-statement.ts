import { isJsonObject, parseJson, type Json, type JsonObject } from "../../model/json.ts";
import type { Session } from "../../store/session.ts";
import { sql, text } from "../../store/sql.ts";
import { parameterValue, type StatementParameters } from "./bind-parameters.ts";
import { checkStatement, type CheckedStatement } from "./check-statement.ts";
import { LIMITS } from "./cost/limits.ts";
import { measureStatement } from "./cost/measure-statement.ts";
import { invalidStatement, refusedStatement } from "./syntax/refusal.ts";
import { listAt, text as writtenText } from "./syntax/tree.ts";
import { readFunctionRules } from "./views.ts";

/** A statement as it will run: written anew from the tree that was checked. */
export interface ReadStatement extends CheckedStatement {
  readonly text: string;
  /** In the order of their numbers in `text`. */
  readonly parameterNames: readonly string[];
}

/**
 * Parses a statement with DuckDB's own parser, checks it, and writes it from its tree; what is written is parsed
 * and checked again. Throws `RequestError`.
 */
export async function readStatement(
  session: Session,
  statement: string,
  given: StatementParameters,
): Promise<ReadStatement> {
  checkText(statement);
  const functions = readFunctionRules();
  const parsed = await parseStatement(session, statement);
  const checked = checkStatement(parsed.statements, functions);
  measureStatement(parsed.statements, functions, (name) => parameterValue(given, name));
  const parameterNames = orderedNames(checked.parameters);
  const numbered = castDoubles(numberParameters(parsed.text, parameterNames));
  const [written] = await session.rows(
    sql`SELECT json_deserialize_sql(CAST(${text(numbered)}::VARCHAR AS JSON))`,
  );
  const again = String(written?.[0]);
  const tested = checkStatement((await parseStatement(session, again)).statements, functions);
  return { ...tested, text: again, parameterNames };
}

function checkText(statement: string): void {
  if (statement.length > LIMITS.characters) {
    throw invalidStatement(
      `a statement of more than ${LIMITS.characters.toLocaleString("en-US")} characters`,
      null,
    );
  }
  if (statement.split("/*").length > LIMITS.comments + 1) {
    throw invalidStatement(`more than ${LIMITS.comments} comments in a statement`, null);
  }
  if (statement.includes("\0")) throw invalidStatement("U+0000 in the statement", statement.indexOf("\0"));
}

/** The tree as DuckDB wrote it, whose spelling of numbers it wants back, and the one statement in it. */
async function parseStatement(
  session: Session,
  statement: string,
): Promise<{ readonly text: string; readonly statements: readonly Json[] }> {
  const [parsed] = await session.rows(
    sql`SELECT json_serialize_sql(${text(statement)}::VARCHAR, skip_null := true)`,
  );
  const tree = readTree(String(parsed?.[0]));
  if (tree["error"] === true) {
    const message = writtenText(tree["error_message"]);
    if (message.includes("Only SELECT statements")) {
      throw refusedStatement("a statement other than SELECT", "write one SELECT", null);
    }
    const position = Number.parseInt(writtenText(tree["position"]), 10);
    throw invalidStatement(message, Number.isNaN(position) ? null : position);
  }
  const statements = listAt(tree, "statements");
  if (statements.length !== 1)
    throw refusedStatement(
      `${statements.length === 0 ? "no" : "more than one"} statement`,
      "write one SELECT",
      null,
    );
  return { text: String(parsed?.[0]), statements };
}

function readTree(written: string): JsonObject {
  if (written.length > LIMITS.treeCharacters) throw invalidStatement("a statement of too many parts", null);
  try {
    const tree = parseJson(written);
    if (isJsonObject(tree)) return tree;
  } catch (error) {
    // DuckDB writes a number beyond all doubles as a bare word.
    if (error instanceof SyntaxError) throw invalidStatement("a number that is too large", null);
    if (!(error instanceof RangeError)) throw error;
  }
  throw invalidStatement("a statement nested too deep", null);
}

/** Numbers stay in their order; names come in the order of the alphabet. The parser allows one kind. */
function orderedNames(names: ReadonlySet<string>): string[] {
  const list = [...names];
  const named = list.filter((name) => !/^\d+$/.test(name));
  if (named.length === 0) {
    const most = list.reduce((max, name) => Math.max(max, Number(name)), 0);
    if (most > 10_000) throw invalidStatement("a parameter numbered beyond 10,000", null);
    return Array.from({ length: most }, (_, i) => String(i + 1));
  }
  if (named.length < list.length)
    throw invalidStatement("named and numbered parameters in one statement", null);
  return named.toSorted();
}

/** A member that is a text or a number, of an object in the tree. */
const MEMBER = String.raw`,"\w+":(?:"(?:[^"\\]|\\.)*"|[\w.+-]+)`;
const PARAMETER = new RegExp(
  String.raw`("class":"PARAMETER"(?:${MEMBER})*?,"identifier":)"((?:[^"\\]|\\.)*)"`,
  "g",
);

/** The tree with parameters by number. Inside a text of the tree a quotation mark is escaped: it is no member. */
function numberParameters(tree: string, names: readonly string[]): string {
  const numbers = new Map(names.map((name, i) => [name, i + 1]));
  return tree.replaceAll(PARAMETER, (_all, before: string, name: string) => {
    return `${before}"${numbers.get(JSON.parse(`"${name}"`) as string) ?? ""}"`;
  });
}

const DOUBLE = new RegExp(
  String.raw`"class":"CONSTANT","type":"VALUE_CONSTANT"((?:${MEMBER})*?),"value":\{"type":\{"id":"DOUBLE"[^{}]*\},"is_null":false,"value":([\w.+-]+)\}`,
  "g",
);

/** DuckDB writes the double 1e3 as `1000.0`, which it reads as a decimal: doubles are written as casts of a text. */
function castDoubles(tree: string): string {
  return tree.replaceAll(DOUBLE, (_all, members: string, value: string) => {
    const constant = `{"class":"CONSTANT","type":"VALUE_CONSTANT","value":{"type":{"id":"VARCHAR"},"is_null":false,"value":"${value}"}}`;
    return `"class":"CAST","type":"OPERATOR_CAST"${members},"child":${constant},"cast_type":{"id":"DOUBLE"},"try_cast":false`;
  });
}
