import { column, nullable, query, select } from "../../store/query.ts";
import { sql } from "../../store/sql.ts";
import { inKeys } from "../relations/relations.ts";

/** What an export needs to know of its evaluations before it is compiled. */
export function compileExportedEvaluations(evaluationKeys: readonly number[]) {
  const evaluations = select(
    {
      key: column.integer(sql`evaluation_key`),
      /** Microseconds since 1970. */
      startedAt: nullable(column.bigint(sql`started_at`)),
      endedAt: nullable(column.bigint(sql`ended_at`)),
      hasFailed: column.boolean(sql`exception IS NOT NULL`),
      hasTrace: column.boolean(sql`has_root AND coalesce(trace_id, '') <> id`),
    },
    sql` FROM evaluations WHERE ${inKeys(sql`evaluation_key`, evaluationKeys)}`,
  );
  return query("exported evaluations", evaluations);
}

/** The dimensions that are JSON null in some trial of these evaluations. */
export function compileNullDimensions(evaluationKeys: readonly number[]) {
  const dimensions = select(
    { pathKey: column.integer(sql`path_key`) },
    sql` FROM null_scores WHERE ${inKeys(sql`evaluation_key`, evaluationKeys)} GROUP BY path_key`,
  );
  return query("null dimensions", dimensions);
}
