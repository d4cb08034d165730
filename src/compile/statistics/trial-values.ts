import type { Plan } from "../../plan/plan.ts";
import { column, query, select } from "../../store/query.ts";
import { sql } from "../../store/sql.ts";
import { withTables } from "../rows/selected-rows.ts";
import { fromRecords, type ValueScope } from "./row-values.ts";

/** The number of each trial in one series, by row; those of a row from the least on. */
export function compileTrialValues(plan: Plan, scope: ValueScope) {
  const values = select(
    { row: column.key(sql`v.row_key`), number: column.double(sql`v.number`) },
    sql` ${fromRecords(plan, scope)} AND v.number IS NOT NULL ORDER BY v.row_key, v.number`,
  );
  return query("trial values", values, sql`${withTables(scope.narrowing.tables)}${values.sql}`);
}
