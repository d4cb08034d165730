import { column, query, select, unionAll, type Query } from "../../store/query.ts";
import { constant, sql } from "../../store/sql.ts";
import { inKeys } from "../relations/relations.ts";
import { countEvaluations } from "../relations/spelled.ts";

/** Whether a row has several trials in one of these evaluations, that is, more trials than evaluations. One scan. */
export function compileHasRepeated(keys: readonly number[]): Query<{ readonly repeated: boolean }> {
  const repeated = select(
    { repeated: column.boolean(sql`coalesce(sum(trials) <> sum(evaluations), false)`) },
    sql` FROM (
    SELECT count(*) AS trials, ${countEvaluations(keys, sql`evaluation_key`)} AS evaluations
    FROM trials WHERE ${inKeys(sql`evaluation_key`, keys)} GROUP BY row_key)`,
  );
  return query("repeated trials", repeated);
}

/** One SELECT for each evaluation: DuckDB groups a single evaluation by row in an array. */
export function compileMostTrials(keys: readonly number[]) {
  const parts = keys.map((key) =>
    select(
      { key: column.integer(constant(key)), most: column.integer(sql`coalesce(max(n), 0)`) },
      sql` FROM (
      SELECT count(*) AS n FROM trials WHERE evaluation_key = ${constant(key)} GROUP BY row_key)`,
    ),
  );
  return query("trials per row", unionAll(parts));
}
