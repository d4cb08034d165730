import type { Session } from "../../store/session.ts";
import { sql } from "../../store/sql.ts";
import { projectKey, type Catalog } from "../keys/catalog.ts";
import type { DatasetRowRecord } from "../record/dataset-row-record.ts";

/** Stores dataset rows; of several with one digest, the last. Returns how many records changed something. */
export async function writeDatasetRows(
  session: Session,
  catalog: Catalog,
  records: readonly DatasetRowRecord[],
): Promise<number> {
  const { rows, replaced } = await latestRows(session, catalog, records);
  session.load("dataset_rows", [
    { name: "position", type: "INTEGER", values: rows.map((_, i) => i) },
    { name: "project_key", type: "INTEGER", values: rows.map((row) => row.project) },
    { name: "digest", type: "VARCHAR", values: rows.map((row) => row.digest) },
    { name: "val", type: "VARCHAR", values: rows.map((row) => row.val) },
  ]);
  const { created, changed } = await compareRows(session);
  if (changed > 0) await updateRows(session);
  if (created > 0) await insertRows(session, catalog.next.row);
  catalog.next.row += created;
  return created + changed + replaced;
}

interface LatestRow extends DatasetRowRecord {
  readonly project: number;
}

/** The last record of each digest, and how many records differ from a later one of the same digest. */
async function latestRows(
  session: Session,
  catalog: Catalog,
  records: readonly DatasetRowRecord[],
): Promise<{ readonly rows: LatestRow[]; readonly replaced: number }> {
  const latest = new Map<string, LatestRow>();
  let replaced = 0;
  for (const record of records) {
    const project =
      catalog.projects.get(record.projectId) ?? (await projectKey(session, catalog, record.projectId));
    const id = `${project}:${record.digest}`;
    const earlier = latest.get(id);
    if (earlier !== undefined && earlier.val !== record.val) replaced++;
    latest.set(id, { ...record, project });
  }
  return { rows: [...latest.values()], replaced };
}

/** Compares the loaded rows with the stored ones, in `compared_rows`. */
async function compareRows(
  session: Session,
): Promise<{ readonly created: number; readonly changed: number }> {
  await session.run(sql`CREATE OR REPLACE TEMP TABLE compared_rows AS
    SELECT l.position, r.row_key, r.val IS NOT DISTINCT FROM l.val AS same
    FROM loaded('dataset_rows') AS l LEFT JOIN rows AS r
    ON r.digest_hash = md5_number_lower(l.digest) AND r.project_key = l.project_key AND r.digest = l.digest`);
  const [counts] = await session.rows(sql`SELECT count(*) FILTER (row_key IS NULL),
    count(*) FILTER (row_key IS NOT NULL AND NOT same) FROM compared_rows`);
  const [created = 0, changed = 0] = (counts ?? []).map(Number);
  return { created, changed };
}

async function updateRows(session: Session): Promise<void> {
  await session.run(sql`UPDATE rows SET val = l.val
    FROM compared_rows AS c JOIN loaded('dataset_rows') AS l USING (position)
    WHERE rows.row_key = c.row_key AND NOT c.same`);
}

async function insertRows(session: Session, firstKey: number): Promise<void> {
  const first = { type: "INTEGER", value: firstKey } as const;
  await session.run(sql`INSERT INTO rows SELECT ${first} - 1 + row_number() OVER (ORDER BY position), project_key,
    md5_number_lower(digest), false, false, digest, val, NULL
    FROM compared_rows JOIN loaded('dataset_rows') USING (position) WHERE row_key IS NULL ORDER BY position`);
}
