import { TEXT } from "../../model/score-kind.ts";
import { column, query, select, type Query } from "../../store/query.ts";
import { constant, sql } from "../../store/sql.ts";
import { inKeys } from "../relations/relations.ts";

/** Keys of those of the given evaluations that have a number, true or false in some score. */
export function compileValued(evaluationKeys: readonly number[]): Query<{ readonly key: number }> {
  const key = column.integer(sql`evaluation_key`);
  const valued = select(
    { key },
    sql` FROM scores WHERE ${inKeys(sql`evaluation_key`, evaluationKeys)} AND kind < ${constant(TEXT)}
    AND number IS NOT NULL GROUP BY evaluation_key`,
  );
  return query("valued evaluations", valued);
}
