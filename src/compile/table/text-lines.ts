import { EMPTY, join, sql, type Sql } from "../../store/sql.ts";

/** A column of a table that is written as text. Numbers and booleans are `bare`: CSV does not quote them. */
export interface TextColumn {
  readonly name: string;
  readonly bare: boolean;
  readonly value: Sql;
}

/** Formats of lines; `safe-csv` is CSV for spreadsheets. */
export type LineFormat = "csv" | "safe-csv" | "jsonl" | "json";

export function isCsv(format: LineFormat): format is "csv" | "safe-csv" {
  return format === "csv" || format === "safe-csv";
}

/** What a spreadsheet takes for a formula begins with one of these, or with a blank that it drops before one. */
const FORMULA = /^[=+\-@\t\r]/;

/** Columns whose texts no spreadsheet takes for formulas: an apostrophe stands before those that begin like one. */
function safeColumn({ name, bare, value }: TextColumn): TextColumn {
  const written = sql`CAST(${value} AS VARCHAR)`;
  const begins = sql`left(${written}, 1) IN ('=', '+', '-', '@', chr(9), chr(13))`;
  return {
    name: name.replace(FORMULA, "'$&"),
    bare,
    value: bare ? value : sql`CASE WHEN ${begins} THEN chr(39) || ${written} ELSE ${written} END`,
  };
}

function columnsFor(columns: readonly TextColumn[], format: "csv" | "safe-csv"): readonly TextColumn[] {
  return format === "csv" ? columns : columns.map(safeColumn);
}

/** The header line of a CSV file (RFC 4180). */
export function csvHead(columns: readonly TextColumn[], format: "csv" | "safe-csv"): string {
  const names = columnsFor(columns, format).map(({ name }) => `"${name.replaceAll('"', '""')}"`);
  return `${names.join(",")}\r\n`;
}

/*
 * One call of `concat` builds a line: a chain of `||` would copy everything before it at each step.
 */

/** A record as a line of RFC 4180, including its end. Texts are always quoted; null is an empty field. */
export function csvLine(columns: readonly TextColumn[], format: "csv" | "safe-csv"): Sql {
  const values = columnsFor(columns, format).map(({ bare, value }) =>
    bare
      ? sql`coalesce(CAST(${value} AS VARCHAR), '')`
      : sql`coalesce('"' || replace(CAST(${value} AS VARCHAR), '"', '""') || '"', '')`,
  );
  return sql`concat(${join(values, sql`, ',', `)}, chr(13) || chr(10))`;
}

/** A record as a JSON object without a line end; `names` are the names of its members as JSON texts. */
export function jsonObject(columns: readonly TextColumn[], names: readonly Sql[]): Sql {
  const members = columns.map(
    ({ value }, i) =>
      sql`${i === 0 ? sql`'{'` : sql`','`} || ${names[i] ?? EMPTY} || ':', coalesce(CAST(to_json(${value}) AS VARCHAR), 'null')`,
  );
  return sql`concat(${join(members)}, '}')`;
}

/** The object as a line, or as an item of an array that {@link jsonTail} closes; `isFirst`: the first may begin it. */
export function jsonLine(object: Sql, format: "jsonl" | "json", isFirst = true): Sql {
  if (format === "jsonl") return sql`${object} || chr(10)`;
  if (!isFirst) return sql`',' || chr(10) || ${object}`;
  return sql`CASE WHEN row_number() OVER () = 1 THEN '[' ELSE ',' || chr(10) END || ${object}`;
}

/** The text that closes the array, or the whole array where there are no records. */
export function jsonTail(format: "jsonl" | "json", records: number): string {
  if (format === "jsonl") return "";
  return records === 0 ? "[]\n" : "]\n";
}
