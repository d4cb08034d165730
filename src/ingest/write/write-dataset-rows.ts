import type { Session } from "../../store/session.ts";
import { sql } from "../../store/sql.ts";
import { projectKey, type Catalog } from "../keys/catalog.ts";
import type { DatasetRowRecord } from "../record/dataset-row-record.ts";

/** Stores dataset rows, of two with one digest the later. Returns how many records changed something. */
export async function writeDatasetRows(
  session: Session,
  catalog: Catalog,
  records: readonly DatasetRowRecord[],
): Promise<number> {
  const latest = new Map<string, DatasetRowRecord & { readonly project: number }>();
  let replaced = 0;
  for (const record of records) {
    const project =
      catalog.projects.get(record.projectId) ?? (await projectKey(session, catalog, record.projectId));
    const id = `${project}:${record.digest}`;
    const earlier = latest.get(id);
    if (earlier !== undefined && earlier.val !== record.val) replaced++;
    latest.set(id, { ...record, project });
  }
  const rows = [...latest.values()];
  session.load("dataset_rows", [
    { name: "position", type: "INTEGER", values: rows.map((_, i) => i) },
    { name: "project_key", type: "INTEGER", values: rows.map((row) => row.project) },
    { name: "digest", type: "VARCHAR", values: rows.map((row) => row.digest) },
    { name: "val", type: "VARCHAR", values: rows.map((row) => row.val) },
  ]);
  await session.run(sql`CREATE OR REPLACE TEMP TABLE compared_rows AS
    SELECT l.position, r.row_key, r.val IS NOT DISTINCT FROM l.val AS same
    FROM loaded('dataset_rows') AS l LEFT JOIN rows AS r
    ON r.digest_hash = md5_number_lower(l.digest) AND r.project_key = l.project_key AND r.digest = l.digest`);
  const [counts] = await session.rows(sql`SELECT count(*) FILTER (row_key IS NULL),
    count(*) FILTER (row_key IS NOT NULL AND NOT same) FROM compared_rows`);
  const [created, changed] = (counts ?? [0, 0]).map(Number);
  if (changed !== 0) {
    await session.run(sql`UPDATE rows SET val = l.val
      FROM compared_rows AS c JOIN loaded('dataset_rows') AS l USING (position)
      WHERE rows.row_key = c.row_key AND NOT c.same`);
  }
  if (created !== 0) {
    const first = { type: "INTEGER", value: catalog.next.row } as const;
    await session.run(sql`INSERT INTO rows SELECT ${first} - 1 + row_number() OVER (ORDER BY position), project_key,
      md5_number_lower(digest), false, false, digest, val, NULL
      FROM compared_rows JOIN loaded('dataset_rows') USING (position) WHERE row_key IS NULL ORDER BY position`);
    catalog.next.row += created ?? 0;
  }
  return (created ?? 0) + (changed ?? 0) + replaced;
}
