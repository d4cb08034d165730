import { sql, text, type Sql } from "../../store/sql.ts";
import type { Plan } from "../../plan/plan.ts";
import { inKeys, presentRows, rowDocuments } from "../relations/relations.ts";
import { MODEL_OUTPUT, matches } from "../relations/spelled.ts";

/** (row_key): the rows whose input, or a model output of a requested evaluation, holds a text, letter case ignored. */
export function searchedRows(plan: Plan, search: string): Sql {
  const escaped = JSON.stringify(search).slice(1, -1);
  const pattern = patternOf(escaped);
  // A plain search rules out a document without the text, and no JSON is made of it: 1.1 s of processor time instead of 2.3 for a
  // million trials.
  const holds = (document: Sql, value: Sql) => sql`contains(lower(${document}), lower(${text(escaped)}))
    AND ${matches(sql`lower(${value})`, sql`lower(${text(pattern)})`, false)}`;
  return sql`SELECT row_key FROM (
    SELECT t.row_key FROM trials AS t WHERE ${inKeys(sql`t.evaluation_key`, plan.evaluationKeys)} AND ${holds(sql`t.output`, MODEL_OUTPUT)}
    UNION ALL SELECT r.row_key FROM (${rowDocuments(plan)}) AS r SEMI JOIN (${presentRows(plan, false)}) AS tried USING (row_key)
      WHERE ${holds(sql`r.document`, sql`r.document`)})
    GROUP BY row_key`;
}

// Both the patterns and the JSON that they are matched with are in lower case.
const CHARACTERS = String.raw`(?:[^"\\]|\\[^u]|\\u[0-9a-f]{4})*`;
const BEFORE = `^(?:[^"n]|null|"${CHARACTERS}")*?`;

/**
 * Matches compact JSON with a text, given as JSON escapes it, inside a string that is no name of a member, or inside a number, true or
 * false. It reads the JSON from its start, string by string and escape by escape: so the n of an escaped line break is no letter, and no
 * string has to be made.
 */
function patternOf(escaped: string): string {
  const exact = escaped.replaceAll(/[\\^$.|?*+()[\]{}]/g, String.raw`\$&`);
  const inString = `${BEFORE}"${CHARACTERS}?${exact}${CHARACTERS}"(?:[^:]|$)`;
  const word = wordPattern(escaped);
  return word === null ? inString : `(?:${inString})|(?:${BEFORE}${word})`;
}

/**
 * Matches a part of a number, of true or of false; null for what is none. Exponents have a sign as they are stored, but no plus where
 * DuckDB has written an output again.
 */
function wordPattern(part: string): string | null {
  if (!/^(?:\+(?!\D))?(?:[-.\da-df-mo-z]|e(?!\d)(?:\+(?!\D))?)*$/i.test(part)) return null;
  return part
    .replaceAll(".", String.raw`\.`)
    .replaceAll(/e?\+(\d?)/gi, (_, digit: string) => String.raw`e\+?${digit || String.raw`\d`}`);
}
