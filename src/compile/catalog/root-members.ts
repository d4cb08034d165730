import { column, nullable, query, select, several, together } from "../../store/query.ts";
import { ofFewTexts, sql, text } from "../../store/sql.ts";
import { recordTextAt } from "../relations/spelled.ts";

/** Members of the root calls of the evaluations of a project. */
export function compileRootMembers(projectId: string, pointers: readonly string[]) {
  const members = pointers.map((pointer) => nullable(column.text(recordTextAt(sql`c.record`, pointer))));
  const { value, width, read } = together({
    id: column.text(sql`e.id`),
    /** JSON texts, one for each pointer; null where the pointer leads nowhere. */
    members: several(members),
  });
  const roots = select(
    { root: { value, width, read } },
    sql`
    FROM projects AS p JOIN evaluations AS e USING (project_key)
    JOIN calls AS c ON c.id_hash = md5_number_lower(concat(p.project_key, ':', e.id))
      AND c.id = e.id AND c.project_key = p.project_key AND NOT c.hidden
    WHERE p.project_id = ${text(projectId)} AND e.has_root AND NOT e.hidden`,
  );
  return query("root members", { sql: ofFewTexts(roots.sql), read: (record) => roots.read(record).root });
}
