import { isJsonObject, parseJson, writeJson, type Json, type JsonObject } from "../../model/json.ts";
import type { Session } from "../../model/session.ts";
import { sql, text } from "../../model/sql.ts";
import { checkStatement, type CheckedStatement } from "./check-statement.ts";
import { invalidStatement, refusedStatement } from "./refusal.ts";
import { readAllowedFunctions } from "./view-files.ts";

/** A statement as it will run: written anew from the tree that was checked. */
export interface ReadStatement extends CheckedStatement {
  readonly text: string;
  /** In the order of their numbers in `text`. */
  readonly parameterNames: readonly string[];
}

const LONGEST = 2 ** 20;

/**
 * Parses a statement with DuckDB's own parser, checks it, and writes it from its tree; what is written is parsed
 * and checked again. Throws `RequestError`.
 */
export async function readStatement(session: Session, statement: string): Promise<ReadStatement> {
  if (statement.length > LONGEST) throw invalidStatement("a statement of more than 1 MiB", null);
  if (statement.includes("\0")) throw invalidStatement("U+0000 in the statement", statement.indexOf("\0"));
  const functions = readAllowedFunctions();
  const tree = await parseStatement(session, statement);
  const checked = checkStatement(tree["statements"] ?? null, functions);
  const parameterNames = orderedNames(checked.parameters);
  const numbered = numberParameters(tree, parameterNames);
  const [written] = await session.rows(
    sql`SELECT json_deserialize_sql(CAST(${text(writeJson(numbered))}::VARCHAR AS JSON))`,
  );
  const again = String(written?.[0]);
  const tested = checkStatement((await parseStatement(session, again))["statements"] ?? null, functions);
  return { ...tested, text: again, parameterNames };
}

async function parseStatement(session: Session, statement: string): Promise<JsonObject> {
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
  const statements = tree["statements"];
  const count = Array.isArray(statements) ? statements.length : 0;
  if (count !== 1)
    throw refusedStatement(`${count === 0 ? "no" : "more than one"} statement`, "write one SELECT", null);
  return tree;
}

function writtenText(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function readTree(written: string): JsonObject {
  try {
    const tree = parseJson(written);
    if (isJsonObject(tree)) return tree;
  } catch (error) {
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

/** The tree with parameters by number. */
function numberParameters(tree: Json, names: readonly string[]): Json {
  const numbers = new Map(names.map((name, i) => [name, String(i + 1)]));
  const renumber = (value: Json): Json => {
    if (Array.isArray(value)) return (value as readonly Json[]).map(renumber);
    if (!isJsonObject(value)) return value;
    const members = Object.entries(value).map(([name, member]): [string, Json] => {
      if (name === "named_param_map") {
        return [name, names.map((_, i) => ({ key: String(i + 1), value: i + 1 }))];
      }
      return [name, renumber(member)];
    });
    const copy = Object.fromEntries<Json>(members);
    if (value["class"] !== "PARAMETER") return copy;
    return { ...copy, identifier: numbers.get(writtenText(value["identifier"])) ?? "" };
  };
  return renumber(tree);
}
