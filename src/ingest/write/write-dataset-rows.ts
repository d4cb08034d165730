import type { Session } from "../../store/session.ts";
import { sql } from "../../store/sql.ts";
import { projectKey, type Catalog } from "../keys/catalog.ts";
import type { ParsedRow } from "../record/dataset-row-record.ts";

/** Whether a record added or changed something. */
type RowOutcome = "stored" | "unchanged";

/** Stores dataset rows; of several with one digest, the last. Returns what each record did. */
export async function writeDatasetRows(
  session: Session,
  catalog: Catalog,
  records: readonly ParsedRow[],
): Promise<RowOutcome[]> {
  const { rows, outcomes } = await latestRows(session, catalog, records);
  session.load("dataset_rows", [
    { name: "position", type: "INTEGER", values: rows.map((_, i) => i) },
    { name: "project_key", type: "INTEGER", values: rows.map((row) => row.project) },
    { name: "digest", type: "VARCHAR", values: rows.map((row) => row.digest) },
    { name: "val", type: "VARCHAR", values: rows.map((row) => row.val) },
    { name: "first_val", type: "VARCHAR", values: rows.map((row) => row.firstVal) },
  ]);
  const stored = await compareRows(session);
  if (stored.some((row) => !row.same)) await updateRows(session);
  const created = rows.length - stored.length;
  if (created > 0) await insertRows(session, catalog.next.row);
  catalog.next.row += created;
  for (const { position, firstSame } of stored) {
    const row = rows[position];
    if (row !== undefined && firstSame) outcomes[row.first] = "unchanged";
  }
  return outcomes;
}

/** The last record of a digest. */
interface LatestRow extends ParsedRow {
  readonly project: number;
  /** Index of the first record of the digest. */
  readonly first: number;
  /** The value of the first record where the last has another one. */
  readonly firstVal: string | null;
}

/** The last record of each digest, and what each record did if the first of each digest did something. */
async function latestRows(
  session: Session,
  catalog: Catalog,
  records: readonly ParsedRow[],
): Promise<{ readonly rows: LatestRow[]; readonly outcomes: RowOutcome[] }> {
  const latest = new Map<string, LatestRow>();
  const outcomes: RowOutcome[] = [];
  for (const [i, record] of records.entries()) {
    const project =
      catalog.projects.get(record.projectId) ?? (await projectKey(session, catalog, record.projectId));
    const id = `${project}:${record.digest}`;
    const earlier = latest.get(id);
    outcomes.push(earlier?.val === record.val ? "unchanged" : "stored");
    const firstVal = earlier === undefined ? record.val : (earlier.firstVal ?? earlier.val);
    latest.set(id, {
      ...record,
      project,
      first: earlier?.first ?? i,
      firstVal: firstVal === record.val ? null : firstVal,
    });
  }
  return { rows: [...latest.values()], outcomes };
}

/** A loaded row that is stored: whether the last and the first record of its digest have the stored value. */
interface StoredRow {
  readonly position: number;
  readonly same: boolean;
  readonly firstSame: boolean;
}

/** Compares the loaded rows with the stored ones, in `compared_rows`; returns those that are stored. */
async function compareRows(session: Session): Promise<StoredRow[]> {
  await session.run(sql`CREATE OR REPLACE TEMP TABLE compared_rows AS
    SELECT l.position, r.row_key, r.val IS NOT DISTINCT FROM l.val AS same,
      r.val IS NOT DISTINCT FROM coalesce(l.first_val, l.val) AS first_same
    FROM loaded('dataset_rows') AS l LEFT JOIN rows AS r
    ON r.digest_hash = md5_number_lower(l.digest) AND r.project_key = l.project_key AND r.digest = l.digest`);
  const stored = await session.rows(
    sql`SELECT position, same, first_same FROM compared_rows WHERE row_key IS NOT NULL`,
  );
  return stored.map(([position, same, firstSame]) => ({
    position: Number(position),
    same: same === true,
    firstSame: firstSame === true,
  }));
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
