import { identity } from "../keys/catalog.ts";
import type { ParsedRow } from "../record/dataset-row-record.ts";
import type { RowChanges, RowName, RowValue, StoredRows } from "./row-entries.ts";

/** Whether a record added or changed something. */
type RowOutcome = "stored" | "unchanged";

/** Notes dataset rows in `changes`; of several with one digest, the last. Returns what each record did. */
export async function noteDatasetRows(
  stored: StoredRows,
  records: readonly ParsedRow[],
  changes: RowChanges,
): Promise<RowOutcome[]> {
  const { latest, outcomes } = await latestRows(stored, records);
  const rows = await stored.resolve(latest, changes);
  const values: (RowValue & { readonly first: number })[] = [];
  for (const [id, { val, first, firstVal }] of latest) {
    const row = rows.get(id);
    if (row === undefined) continue;
    if (changes.created.has(row)) changes.values.set(row, val);
    else values.push({ row, val, first, firstVal });
  }
  for (const { row, val, first, same, firstSame } of await stored.compare(values)) {
    if (!same) changes.values.set(row, val);
    if (firstSame) outcomes[first] = "unchanged";
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
  stored: StoredRows,
  records: readonly ParsedRow[],
): Promise<{ readonly latest: Map<string, LatestRow>; readonly outcomes: RowOutcome[] }> {
  const latest = new Map<string, LatestRow>();
  const outcomes: RowOutcome[] = [];
  for (const [i, record] of records.entries()) {
    const known = stored.projectKey(record.projectId);
    const key = typeof known === "number" ? known : await known;
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
