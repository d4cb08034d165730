import type { FileStore } from "../store/session.ts";
import type { Engine } from "./api.ts";
import type { StatementParameters } from "../duckdb/sql/bind-parameters.ts";
import { exportSql } from "./export/export-sql.ts";
import { createSqlContext } from "../duckdb/sql/prepare-statement.ts";
import { querySql, querySqlTable, type SqlOptions } from "../duckdb/sql/query-sql.ts";
import type { TableOf } from "./table-of.ts";

/** The members that run SQL. */
export type Statements = Pick<Engine, "sql" | "sqlBatches" | "exportSql">;

export function createStatements(store: FileStore): Statements {
  const context = createSqlContext(store);
  return {
    sql: <Row extends object>(
      projectId: string,
      statement: string,
      params: StatementParameters = [],
      options: SqlOptions = {},
    ) => querySqlTable({ context, projectId, statement, params, options }) as Promise<TableOf<Row>>,
    sqlBatches: (projectId, statement, params = [], limits = {}) =>
      querySql({ context, projectId, statement, params, options: limits }),
    exportSql: (projectId, statement, params, target) =>
      exportSql(context, { projectId, statement, params }, target),
  };
}
