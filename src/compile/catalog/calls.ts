import type { Key } from "../../model/digest.ts";
import { column, nullable, query, select, several, together, withTexts } from "../../store/query.ts";
import { constant, join, sql, type Sql, text } from "../../store/sql.ts";
import { amongKeys, ofFew, recordTextAt } from "../relations/spelled.ts";

/** Keys of calls, hidden ones or the others, that may have these ids: the hashes of their ids match. */
export function compileCallKeys(projectKey: number, ids: readonly string[], hidden = false) {
  const keys = select(
    { key: column.key(sql`c.call_key`) },
    sql` FROM calls AS c JOIN (${hashes(projectKey, ids)}) AS w
    ON c.id_hash = w.hash WHERE ${hidden ? sql`c.hidden` : sql`NOT c.hidden`}`,
  );
  return query("call keys", keys);
}

/** For each of these parents, the key of one call that may be its child. */
export function compileChildKeys(projectKey: number, parentIds: readonly string[]) {
  const keys = select(
    { key: column.key(sql`min(c.call_key)`) },
    sql` FROM calls AS c JOIN (${hashes(projectKey, parentIds)}) AS w
    ON c.parent_hash = w.hash WHERE NOT c.hidden GROUP BY w.hash`,
  );
  return query("child keys", keys);
}

function hashes(projectKey: number, ids: readonly string[]): Sql {
  const names = ids.map((id) => sql`(${text(id)})`);
  return sql`
    SELECT md5_number_lower(concat(${constant(projectKey)}, ':', id)) AS hash FROM (VALUES ${join(names)}) AS v(id)`;
}

/** Calls as they were sent. */
export function compileCallRecords(projectKey: number, callKeys: readonly Key[]) {
  const wanted = sql`${amongKeys(sql`call_key`, callKeys)} AND project_key = ${constant(projectKey)}`;
  const records = select(
    { key: column.key(sql`call_key`), id: column.text(sql`id`), record: column.text(sql`record`) },
    sql` FROM calls WHERE ${ofFew(sql`calls`, wanted, callKeys.length)}`,
  );
  return withTexts(query("call records", records));
}

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
  return withTexts(query("root members", { sql: roots.sql, read: (record) => roots.read(record).root }));
}
