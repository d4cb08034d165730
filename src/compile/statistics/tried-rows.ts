import { column, query, select } from "../../store/query.ts";
import { sql } from "../../store/sql.ts";
import { inKeys } from "../relations/relations.ts";
import { withTables, type Narrowing } from "../rows/selected-rows.ts";

export function compileTriedRows(evaluationKeys: readonly number[], { tables, selectedJoin }: Narrowing) {
  const counts = select(
    {
      evaluationKey: column.integer(sql`t.evaluation_key`),
      rows: column.integer(sql`count(DISTINCT t.row_key)`),
    },
    sql` FROM trials AS t${selectedJoin} WHERE ${inKeys(sql`t.evaluation_key`, evaluationKeys)} GROUP BY t.evaluation_key`,
  );
  return query("tried rows", counts, sql`${withTables(tables)}${counts.sql}`);
}
