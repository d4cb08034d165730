import {
  csvHead,
  csvLine,
  jsonLine,
  jsonObject,
  jsonTail,
  type TextColumn,
} from "../../compile/text-lines.ts";
import type { ColumnField, ColumnType } from "../../model/columns.ts";
import type { Session, Store } from "../../model/session.ts";
import { identifier, join, sql, statement, type Sql, type SqlStatement } from "../../model/sql.ts";
import { checkOptions, type OptionRules } from "../option-checks.ts";
import { checkTarget, WRITE_RULES, writeTable, type TextLines, type WriteOptions } from "../write-table.ts";
import type { StatementParameters } from "./bind-parameters.ts";
import {
  columnBatches,
  explanation,
  prepareStatement,
  SQL_RULES,
  withinTime,
  type SqlOptions,
} from "./project-sql.ts";

export interface SqlExportOptions extends WriteOptions, SqlOptions {}

const EXPORT_RULES: OptionRules = { ...WRITE_RULES, ...SQL_RULES };

/** Writes the result of a statement to a file or a stream; resolves to the number of its records. */
export async function exportSql(
  store: Store,
  projectId: string,
  text: string,
  params: StatementParameters,
  options: SqlExportOptions,
): Promise<{ readonly records: number }> {
  checkOptions(options, EXPORT_RULES);
  checkTarget(options);
  return withinTime(options, (signal) =>
    store.read(async (session) => {
      const query = await prepareStatement(session, projectId, text, params);
      try {
        const { fields } = await session.vectors({ ...query, sql: `FROM (${query.sql}) LIMIT 0` });
        const table = {
          columns: () => query,
          lines: (format: "csv" | "jsonl" | "json") => resultLines(query, fields, format),
          batches: () => resultBatches(session, query),
        };
        return { records: await writeTable(session, table, { ...options, signal }) };
      } catch (error) {
        throw explanation(error);
      }
    }, signal),
  );
}

async function* resultBatches(session: Session, query: SqlStatement) {
  yield* columnBatches(await session.vectors(query));
}

/** Columns by number, since their names may repeat. */
function resultLines(
  query: SqlStatement,
  fields: readonly ColumnField[],
  format: "csv" | "jsonl" | "json",
): TextLines {
  const aliases = fields.map((_, i) => identifier(`c${i}`));
  const columns = fields.map(({ name, type }, i): TextColumn => ({
    name,
    bare: isBare(type),
    value: aliases[i] ?? sql``,
  }));
  const names = fields.map(({ name }) => jsonName(name));
  const line = format === "csv" ? csvLine(columns) : jsonLine(jsonObject(columns, names), format);
  const head = statement(sql`SELECT ${line} AS line`).sql;
  const list = statement(join(aliases, sql`, `)).sql;
  return {
    head: format === "csv" ? csvHead(columns) : "",
    query: { sql: `${head} FROM (${query.sql}) AS result(${list})`, params: query.params },
    tail: (records) => (format === "csv" ? "" : jsonTail(format, records)),
  };
}

/** Numbers of parameters are taken by the statement: a name is a quoted text, a quotation mark in it doubled. */
function jsonName(name: string): Sql {
  return { parts: [`'${JSON.stringify(name).replaceAll("'", "''")}'`], params: [] };
}

function isBare({ kind }: ColumnType): boolean {
  return (
    kind === "boolean" || kind === "integer" || kind === "float" || kind === "decimal" || kind === "null"
  );
}
