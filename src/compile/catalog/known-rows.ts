import { column, query, select } from "../../store/query.ts";
import { constant, join, sql, text } from "../../store/sql.ts";

/** The digests of those of the given dataset rows of a project that have a value. */
export function compileKnownRows(projectKey: number, digests: readonly string[]) {
  const list = join(digests.map((digest) => sql`${text(digest)}`));
  const rows = select(
    { digest: column.text(sql`digest`) },
    sql` FROM rows WHERE project_key = ${constant(projectKey)} AND digest IN (${list})
    AND coalesce(val, inline_example) IS NOT NULL`,
  );
  return query("known rows", rows);
}
