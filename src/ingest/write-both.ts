import type { LoadCounts } from "./counts.ts";
import type { RecordOutcome } from "./merge/call-batch.ts";
import type { ParsedCall } from "./record/call-record.ts";
import type { ParsedRow } from "./record/dataset-row-record.ts";
import { noteDatasetRows } from "./write/note-dataset-rows.ts";
import { noRowChanges, type RowChanges, type StoredRows } from "./write/row-entries.ts";
import { isCall, type StorableRecord } from "./writer.ts";

/** Stores calls; what they change in rows is noted in `changes`. */
export type WriteCalls = (
  records: readonly ParsedCall[],
  owners: readonly LoadCounts[],
  changes: RowChanges,
) => Promise<readonly RecordOutcome[]>;

/** Writes a batch, its rows at the end: a row comes with its value and with the calls that use it. Returns what each record did. */
export async function writeBoth(
  stored: StoredRows,
  batch: readonly StorableRecord[],
  owners: readonly LoadCounts[],
  writeCalls: WriteCalls,
  writeRows: (changes: RowChanges) => Promise<void> | void,
): Promise<RecordOutcome[]> {
  const changes = noRowChanges();
  const rows = batch.filter((one): one is ParsedRow => !isCall(one));
  const ofRows = rows.length === 0 ? [] : await noteDatasetRows(stored, rows, changes);
  const calls = batch.filter(isCall);
  const ownersOfCalls = owners.filter((_, i) => isCall(batch[i]));
  const ofCalls = calls.length === 0 ? [] : await writeCalls(calls, ownersOfCalls, changes);
  await writeRows(changes);
  const [nextCall, nextRow] = [ofCalls.values(), ofRows.values()];
  return batch.map((one) => (isCall(one) ? nextCall : nextRow).next().value ?? "unchanged");
}
