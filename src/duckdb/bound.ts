import type { DuckDBType, DuckDBValue } from "@duckdb/node-api";
import { DUCKDB } from "./dialect/dialect.ts";
import { StoreError } from "../errors.ts";
import { statement, type Sql, type SqlStatement } from "../store/sql.ts";
import { DUCKDB_TYPES } from "./write/loaded-table.ts";
import { lackOf } from "./file/lacks.ts";

/** Runs a statement with its values bound; DuckDB's error becomes a `StoreError` that contains the SQL. */
export async function bound<T>(
  query: Sql,
  run: (text: string, values: DuckDBValue[], types: DuckDBType[]) => Promise<T>,
): Promise<T> {
  return boundStatement(statement(query, DUCKDB), run);
}

export async function boundStatement<T>(
  { sql, params }: SqlStatement,
  run: (text: string, values: DuckDBValue[], types: DuckDBType[]) => Promise<T>,
): Promise<T> {
  try {
    return await run(
      sql,
      params.map(({ value }) => value),
      params.map(({ type }) => DUCKDB_TYPES[type]),
    );
  } catch (error) {
    throw queryError(error, sql);
  }
}

export function queryError(error: unknown, sql: string): StoreError {
  if (error instanceof StoreError) return error;
  const lack = lackOf(error);
  if (lack !== null) return lack;
  const [said = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
  const message = `DuckDB refused a statement of evalcube (see \`statement\`): ${said}`;
  return Object.assign(new StoreError("query_failed", message, { cause: error }), { statement: sql });
}
