import type { Session } from "../../store/session.ts";
import { sql } from "../../store/sql.ts";
import { identity, projectKey } from "../keys/catalog.ts";
import type { ParsedRow } from "../record/dataset-row-record.ts";
import { resolveRows, type RowChanges, type RowEntry, type RowLookup, type RowName } from "./dataset-rows.ts";

/** Whether a record added or changed something. */
type RowOutcome = "stored" | "unchanged";

/** Notes dataset rows in `changes`; of several with one digest, the last. Returns what each record did. */
export async function noteDatasetRows(
  lookup: RowLookup,
  records: readonly ParsedRow[],
  changes: RowChanges,
): Promise<RowOutcome[]> {
  const { latest, outcomes } = await latestRows(lookup, records);
  const rows = await resolveRows(lookup, latest, changes);
  const stored: StoredRow[] = [];
  for (const [id, record] of latest) {
    const row = rows.get(id);
    if (row === undefined) continue;
    if (changes.created.has(row)) changes.values.set(row, record.val);
    else stored.push({ row, record });
  }
  for (const { row, record, same, firstSame } of await compareRows(lookup.session, stored)) {
    if (!same) changes.values.set(row, record.val);
    if (firstSame) outcomes[record.first] = "unchanged";
  }
  return outcomes;
}

/** The last record of a digest. */
interface LatestRow extends ParsedRow, RowName {
  /** Index of the first record of the digest. */
  readonly first: number;
  /** The value of the first record where the last has another one. */
  readonly firstVal: string | null;
}

/** The last record of each digest, and what each record did if the first of each digest did something. */
async function latestRows(
  { session, catalog }: RowLookup,
  records: readonly ParsedRow[],
): Promise<{ readonly latest: Map<string, LatestRow>; readonly outcomes: RowOutcome[] }> {
  const latest = new Map<string, LatestRow>();
  const outcomes: RowOutcome[] = [];
  for (const [i, record] of records.entries()) {
    const key =
      catalog.projects.get(record.projectId) ?? (await projectKey(session, catalog, record.projectId));
    const id = identity(key, record.digest);
    const earlier = latest.get(id);
    outcomes.push(earlier?.val === record.val ? "unchanged" : "stored");
    const firstVal = earlier === undefined ? record.val : (earlier.firstVal ?? earlier.val);
    latest.set(id, {
      ...record,
      projectKey: key,
      first: earlier?.first ?? i,
      firstVal: firstVal === record.val ? null : firstVal,
    });
  }
  return { latest, outcomes };
}

/** A row that was there before, and its last record. */
interface StoredRow {
  readonly row: RowEntry;
  readonly record: LatestRow;
}

/** Whether the last and the first record of a digest have the stored value. */
interface ComparedRow extends StoredRow {
  readonly same: boolean;
  readonly firstSame: boolean;
}

/** Compares values in the database: they may be long. */
async function compareRows(session: Session, stored: readonly StoredRow[]): Promise<ComparedRow[]> {
  if (stored.length === 0) return [];
  session.load("dataset_rows", [
    { name: "position", type: "INTEGER", values: stored.map((_, i) => i) },
    { name: "row_key", type: "INTEGER", values: stored.map(({ row }) => row.key) },
    { name: "val", type: "VARCHAR", values: stored.map(({ record }) => record.val) },
    { name: "first_val", type: "VARCHAR", values: stored.map(({ record }) => record.firstVal) },
  ]);
  // Of all rows, only those of the batch may enter the join: DuckDB may keep either side of it in memory.
  const compared = await session.rows(sql`SELECT l.position, r.val IS NOT DISTINCT FROM l.val,
      r.val IS NOT DISTINCT FROM coalesce(l.first_val, l.val)
    FROM loaded('dataset_rows') AS l JOIN (SELECT row_key, val FROM rows
      WHERE row_key IN (SELECT row_key FROM loaded('dataset_rows'))) AS r USING (row_key)`);
  return compared.flatMap(([position, same, firstSame]) => {
    const one = stored[Number(position)];
    return one === undefined ? [] : [{ ...one, same: same === true, firstSame: firstSame === true }];
  });
}
