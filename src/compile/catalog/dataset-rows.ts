import type { Key } from "../../model/digest.ts";
import { column, query, select, withTexts } from "../../store/query.ts";
import { constant, loaded, sql, text } from "../../store/sql.ts";
import { amongKeys, ofFew } from "../relations/spelled.ts";

/** The keys of the rows that may have the digests that are loaded under a name: their hashes match. */
export function loadedRowKeys(projectKey: number, name: string) {
  const keys = select(
    { key: column.key(sql`row_key`) },
    sql` FROM rows WHERE project_key = ${constant(projectKey)}
    AND digest_hash IN (SELECT md5_number_lower(digest) FROM ${loaded(name)})`,
  );
  return query("row keys", keys);
}

/** The values of those of these rows that have one: were sent themselves, or within a trial. */
export function compileRowValues(keys: readonly Key[]) {
  const value = sql`coalesce(val, inline_example)`;
  const known = sql`${amongKeys(sql`row_key`, keys)} AND ${value} IS NOT NULL`;
  const values = select(
    { digest: column.text(sql`digest`), value: column.text(value) },
    sql` FROM rows WHERE ${ofFew(sql`rows`, known, keys.length)}`,
  );
  return withTexts(query("row values", values));
}

/** Those of these rows that trials of another evaluation than this are of. */
export function compileSharedRows(keys: readonly Key[], root: string) {
  const rows = select(
    { digest: column.text(sql`r.digest`) },
    sql` FROM (SELECT DISTINCT row_key FROM trials WHERE ${amongKeys(sql`row_key`, keys)} AND evaluation_key IN (
      SELECT evaluation_key FROM evaluations WHERE NOT hidden AND id <> ${text(root)})) AS t
    JOIN rows AS r ON r.row_key = t.row_key`,
  );
  return query("shared rows", rows);
}

/** Whether a project has rows: one of them. */
export function compileSomeRow(projectKey: number) {
  const one = select(
    { key: column.key(sql`row_key`) },
    sql` FROM rows WHERE project_key = ${constant(projectKey)} LIMIT 1`,
  );
  return query("some row", one);
}
