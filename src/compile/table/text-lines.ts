import { EMPTY, join, sql, type Sql } from "../../store/sql.ts";

/** A column of a table that is written as text. Numbers and booleans stand bare in CSV. */
export interface TextColumn {
  readonly name: string;
  readonly bare: boolean;
  readonly value: Sql;
}

/** The names of columns as a line of RFC 4180. */
export function csvHead(columns: readonly TextColumn[]): string {
  return `${columns.map(({ name }) => `"${name.replaceAll('"', '""')}"`).join(",")}\r\n`;
}

/*
 * Lines are put together by one call: a chain of `||` copies all that came before at each of its steps.
 */

/** A record as a line of RFC 4180 with its end. Texts are always quoted; null is nothing at all. */
export function csvLine(columns: readonly TextColumn[]): Sql {
  const values = columns.map(({ bare, value }) =>
    bare
      ? sql`coalesce(CAST(${value} AS VARCHAR), '')`
      : sql`coalesce('"' || replace(CAST(${value} AS VARCHAR), '"', '""') || '"', '')`,
  );
  return sql`concat(${join(values, sql`, ',', `)}, chr(13) || chr(10))`;
}

/** A record as a JSON object without a line end; `names` are its members' names as JSON texts. */
export function jsonObject(columns: readonly TextColumn[], names: readonly Sql[]): Sql {
  const members = columns.map(
    ({ value }, i) =>
      sql`${i === 0 ? sql`'{'` : sql`','`} || ${names[i] ?? EMPTY} || ':', coalesce(CAST(to_json(${value}) AS VARCHAR), 'null')`,
  );
  return sql`concat(${join(members, sql`, `)}, '}')`;
}

/** The object as a line, or as an item of an array that is closed elsewhere. */
export function jsonLine(object: Sql, format: "jsonl" | "json"): Sql {
  if (format === "jsonl") return sql`${object} || chr(10)`;
  return sql`CASE WHEN row_number() OVER () = 1 THEN '[' ELSE ',' || chr(10) END || ${object}`;
}

/** What closes the array. */
export function jsonTail(format: "jsonl" | "json", records: number): string {
  if (format === "jsonl") return "";
  return records === 0 ? "[]\n" : "]\n";
}
