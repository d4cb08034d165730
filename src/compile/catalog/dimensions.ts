import { BOOLEAN, NUMBER } from "../../model/score-kind.ts";
import type { DimensionKinds } from "../../plan/trial-table.ts";
import { column, query, select, type Query } from "../../store/query.ts";
import { constant, integer, sql } from "../../store/sql.ts";

/** The dimensions that have values in some evaluation of a project that is not hidden. */
export function compileProjectDimensions(projectKey: number): Query<DimensionKinds> {
  const kinds = select(
    {
      pathKey: column.integer(sql`s.path_key`),
      numbers: column.boolean(sql`bool_or(s.kind = ${constant(NUMBER)})`),
      booleans: column.boolean(sql`bool_or(s.kind = ${constant(BOOLEAN)})`),
    },
    sql` FROM scores AS s JOIN evaluations AS e ON e.evaluation_key = s.evaluation_key
    WHERE e.project_key = ${integer(projectKey)} AND NOT e.hidden GROUP BY s.path_key`,
  );
  return query("dimensions of a project", kinds);
}
