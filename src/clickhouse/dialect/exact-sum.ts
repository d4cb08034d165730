import { sql, type Sql } from "../../store/sql.ts";

/** The same steps as on DuckDB (`duckdb/dialect/exact-sum.ts`), with digits alone. */
export function exactSum(number: Sql): Sql {
  const size = sql`nullIf(abs(${number}), 0)`;
  return sql`exact_sum(groupArray(${number}), min(${size}), max(${size}), sum(${number}))`;
}
