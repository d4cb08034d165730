import {
  csvHead,
  csvLine,
  isCsv,
  jsonLine,
  jsonObject,
  jsonTail,
  type LineFormat,
  type TextColumn,
} from "../../compile/table/text-lines.ts";
import { changedWithin, onlyFinite, wideAsDecimals } from "../../compile/table/nested-values.ts";
import type { ColumnField, ColumnType } from "../../store/columns.ts";
import type { Session } from "../../store/session.ts";
import { identifier, join, sql, statement, type Sql, type SqlStatement } from "../../store/sql.ts";
import { checkOptions, RULE, type OptionRules } from "../../flow/check-options.ts";
import { checkTarget, WRITE_RULES, writeTable, type TextLines, type WriteOptions } from "./write-table.ts";
import { recordBatches } from "../../arrow/encode/batch.ts";
import type { AskedStatement, SqlOptions, StatementRunner } from "../../store/statements.ts";

/** Options of `exportSql`. */
export interface SqlExportOptions extends WriteOptions, SqlOptions {
  /** Called with the columns before the first byte is written. */
  readonly onColumns?: ((columns: SqlExport["columns"]) => void) | undefined;
}

/** For statements, written to a file or not. */
export const SQL_RULES: OptionRules = {
  signal: RULE.signal,
  timeLimitSeconds: {
    allowed: "a number above 0",
    fits: (value) => typeof value === "number" && value > 0,
  },
  maxResultBytes: {
    allowed: "a number of bytes, 0 or more",
    fits: (value) => typeof value === "number" && value >= 0,
  },
  limits: { allowed: '"strict"', fits: (value) => value === "strict" },
};

export const SQL_EXPORT_RULES: OptionRules = { ...WRITE_RULES, ...SQL_RULES, onColumns: RULE.callback };

/** What was written of the result of a statement. */
export interface SqlExport {
  /** How many were written. */
  readonly records: number;
  /** In order; `type` is what a value is, such as `integer`, `float`, `text` or `list`. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

/** Writes the result of a statement to a file or a stream. */
export async function exportSql(
  runner: StatementRunner,
  asked: AskedStatement,
  options: SqlExportOptions,
): Promise<SqlExport> {
  checkOptions(options, SQL_EXPORT_RULES);
  checkTarget(options);
  return await runner.within(asked, options, async (session, query, signal) => {
    const { fields } = await session.vectors({ ...query, sql: `FROM (${query.sql}) LIMIT 0` });
    const table = {
      columns: () => [resultColumns(session, query, fields)],
      lines: (format: LineFormat) => resultLines(session, query, fields, format),
      batches: () => resultBatches(session, query),
    };
    const columns = fields.map(({ name, type }) => ({ name, type: type.kind }));
    options.onColumns?.(columns);
    return { records: await writeTable(session, table, { ...options, signal }), columns };
  });
}

async function* resultBatches(session: Session, query: SqlStatement) {
  yield* recordBatches(await session.vectors(query));
}

/** Wraps the query in a statement over the columns of its result, which get aliases of their own. */
function overColumns(
  { dialect }: Session,
  query: SqlStatement,
  fields: readonly ColumnField[],
  list: Sql,
): SqlStatement {
  const names = join(fields.map((_, i) => alias(i)));
  const head = statement(sql`SELECT ${list}`, dialect).sql;
  return {
    sql: `${head} FROM (${query.sql}) AS result(${statement(names, dialect).sql})`,
    params: query.params,
  };
}

function alias(index: number): Sql {
  return identifier(`c${index}`);
}

function resultColumns(session: Session, query: SqlStatement, fields: readonly ColumnField[]): SqlStatement {
  const columns = fields.map(({ name, type }, i) => {
    const value = changedWithin(type, alias(i), wideAsDecimals) ?? alias(i);
    return sql`${value} AS ${identifier(name)}`;
  });
  return overColumns(session, query, fields, join(columns));
}

function resultLines(
  session: Session,
  query: SqlStatement,
  fields: readonly ColumnField[],
  format: LineFormat,
): TextLines {
  const columns = fields.map(({ name, type }, i): TextColumn => {
    const json = changedWithin(type, alias(i), onlyFinite) ?? alias(i);
    return { name, bare: isBare(type), value: isCsv(format) ? csvValue(type, alias(i), json) : json };
  });
  const names = fields.map(({ name }) => jsonName(name));
  const line = isCsv(format) ? csvLine(columns, format) : jsonLine(jsonObject(columns, names), format);
  return {
    head: isCsv(format) ? csvHead(columns, format) : "",
    queries: [overColumns(session, query, fields, sql`${line} AS line`)],
    tail: (records) => (isCsv(format) ? "" : jsonTail(format, records)),
  };
}

/**
 * Writes a name as a quoted text with doubled quotation marks, since the parameter numbers belong to the statement.
 */
function jsonName(name: string): Sql {
  return { parts: [`'${JSON.stringify(name).replaceAll("'", "''")}'`], holes: [] };
}

/** Doubles are as JSON spells them, since DuckDB's cast writes some as other numbers. */
function csvValue(type: ColumnType, value: Sql, json: Sql): Sql {
  if (isNested(type)) return sql`to_json(${json})`;
  if (type.kind !== "float" || type.bits === 32) return value;
  return sql`CASE WHEN isfinite(${value}) THEN CAST(to_json(${value}) AS VARCHAR) ELSE CAST(${value} AS VARCHAR) END`;
}

function isBare({ kind }: ColumnType): boolean {
  return (
    kind === "boolean" || kind === "integer" || kind === "float" || kind === "decimal" || kind === "null"
  );
}

function isNested({ kind }: ColumnType): boolean {
  return kind === "list" || kind === "fixed list" || kind === "struct" || kind === "map";
}
