import { checkOptions } from "../flow/check-options.ts";
import type { StatementRunner } from "../store/statements.ts";
import type { Engine } from "./api.ts";
import { exportSql, SQL_RULES } from "./export/export-sql.ts";
import type { TableOf } from "./table-of.ts";

/** The members that run SQL. */
export type Statements = Pick<Engine, "sql" | "sqlBatches" | "exportSql">;

export function createStatements(runner: StatementRunner): Statements {
  return {
    sql: async <Row extends object>(
      ...[projectId, statement, params = [], options = {}]: Parameters<Engine["sql"]>
    ) => {
      checkOptions(options, SQL_RULES);
      return (await runner.table({ projectId, statement, params }, options)) as TableOf<Row>;
    },
    sqlBatches: async function* (projectId, statement, params = [], options = {}) {
      checkOptions(options, SQL_RULES);
      yield* runner.batches({ projectId, statement, params }, options);
    },
    exportSql: (projectId, statement, params, target) =>
      exportSql(runner, { projectId, statement, params }, target),
  };
}
