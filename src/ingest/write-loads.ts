import { type IngestError, StoreError } from "../errors.ts";
import type { WriteOutcome } from "../store/group-commit.ts";
import { copyCounts, type LoadCounts, readCounts } from "./counts.ts";
import type { IngestResult } from "./load.ts";
import { type PlacedRecord, type ReadLoad, refuse } from "./read-load.ts";
import { InvalidRecord } from "./record/invalid-record.ts";
import { isCall, type StorableRecord, type Writer } from "./writer.ts";
import type { RecordOutcome } from "./merge/call-batch.ts";
import type { ParsedCall } from "./record/call-record.ts";
import type { ParsedRow } from "./record/dataset-row-record.ts";
import { noRowChanges, noteDatasetRows, type RowChanges, type StoredRows } from "./write/row-entries.ts";

/** What the records of one load did in the current transaction. */
interface Written<T> {
  readonly load: ReadLoad<T>;
  readonly counts: LoadCounts;
  stored: number;
  unchanged: number;
  readonly rejected: IngestError[];
  longest: PlacedRecord<T> | null;
  readonly unknownMembers: Map<string, number>;
  readonly epochTimes: Map<string, number>;
  /** Why the load as a whole is refused. */
  refusal: unknown;
}

/** A load that was written: its result, and what it and the sources before it counted. */
export interface LoadResult {
  readonly result: IngestResult;
  readonly counts: LoadCounts;
}

/** Writes one load, or several small ones in the order of their arrival, in one transaction. */
export async function writeLoads<T extends StorableRecord>(
  writer: Writer,
  loads: readonly ReadLoad<T>[],
): Promise<WriteOutcome<LoadResult>[]> {
  const written = loads.map((load) => newWritten(load));
  try {
    await writeAll(writer, written);
    await writer.finish();
  } catch (error) {
    throw placedFault(written, error) ?? error;
  } finally {
    await writer.stop();
  }
  return written.map((one) =>
    one.refusal === null
      ? { value: { result: resultOf(one, writer), counts: one.counts } }
      : { refused: one.refusal },
  );
}

/** The error of the longest record, for a write that ran out of memory; null for any other. */
function placedFault<T extends StorableRecord>(
  written: readonly Written<T>[],
  error: unknown,
): StoreError | null {
  if (!(error instanceof StoreError) || error.code !== "out_of_memory") return null;
  const all = written.flatMap(({ load, longest }) => (longest === null ? [] : [{ load, ...longest }]));
  const [longest] = all.toSorted((a, b) => lengthOf(b.record) - lengthOf(a.record));
  if (longest === undefined) return null;
  const { load, position, record } = longest;
  const place = `${load.source.name}, record ${position}, the longest with ${Math.ceil(lengthOf(record) / 1e6)} MB`;
  return new StoreError(error.code, `${place}: ${error.message}`, { cause: error });
}

function lengthOf(record: StorableRecord): number {
  return ("text" in record ? record.text : record.val).length;
}

function newWritten<T>(load: ReadLoad<T>): Written<T> {
  return {
    load,
    counts: copyCounts(load.counts),
    stored: 0,
    unchanged: 0,
    rejected: [],
    longest: null,
    unknownMembers: new Map(),
    epochTimes: new Map(),
    refusal: null,
  };
}

/** A record of a batch, and the load that it belongs to. */
interface OwnedRecord<T> extends PlacedRecord<T> {
  readonly owner: Written<T>;
}

/** Prepares each batch while the previous one is written. Stops at the first batch with a load that is refused. */
async function writeAll<T extends StorableRecord>(
  writer: Writer,
  written: readonly Written<T>[],
): Promise<void> {
  let begun = 0;
  for await (const batch of batchesOf(written)) {
    if (++begun === 2) await writer.becomesLarge();
    await writeCounted(writer, batch);
    if (written.some(({ refusal }) => refusal !== null)) return;
    await writer.endBatch();
  }
}

/** Several loads are one batch: each of them is small. */
async function* batchesOf<T>(written: readonly Written<T>[]): AsyncGenerator<OwnedRecord<T>[]> {
  const first = written.flatMap((owner) => owned(owner, owner.load.first));
  if (first.length > 0) yield first;
  for (const owner of written)
    if (owner.load.rest !== null)
      for await (const { records } of owner.load.rest) yield owned(owner, records);
}

function owned<T>(owner: Written<T>, records: readonly PlacedRecord<T>[]): OwnedRecord<T>[] {
  return records.map(({ record, position }) => ({ record, position, owner }));
}

async function writeCounted<T extends StorableRecord>(
  writer: Writer,
  batch: readonly OwnedRecord<T>[],
): Promise<void> {
  for (const { owner, ...one } of batch)
    if (owner.longest === null || lengthOf(one.record) > lengthOf(owner.longest.record)) owner.longest = one;
  const records = batch.map(({ record }) => record);
  const owners = batch.map(({ owner }) => owner.counts);
  const outcomes = await writer.write(records, owners);
  for (const [i, { record, position, owner }] of batch.entries()) {
    const outcome = outcomes[i];
    if (outcome instanceof InvalidRecord) {
      refuseOne(owner, position, outcome);
      continue;
    }
    if (outcome === "stored") owner.stored++;
    else owner.unchanged++;
    for (const name of record.unknownMembers) addOne(owner.unknownMembers, name);
    if ("epochUnit" in record && record.epochUnit !== null) addOne(owner.epochTimes, record.epochUnit);
  }
}

function addOne(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function refuseOne<T>(owner: Written<T>, position: number, error: InvalidRecord): void {
  try {
    refuse(owner.load, owner.rejected, position, error);
  } catch (refusal) {
    owner.refusal ??= refusal;
  }
}

function resultOf<T>(
  { load, counts, stored, unchanged, rejected, unknownMembers, epochTimes }: Written<T>,
  writer: Writer,
): IngestResult {
  const { tally } = load;
  return {
    received: tally.received,
    stored,
    unchanged,
    rejected: [...tally.rejected, ...rejected]
      .toSorted((a, b) => a.position - b.position)
      .map(({ source, position, path, message, cause }) => ({
        source,
        position,
        path,
        reason: cause instanceof InvalidRecord ? cause.reason : message,
      })),
    unknown_members: Object.fromEntries(unknownMembers),
    epoch_times: Object.fromEntries(epochTimes),
    ...readCounts(counts, writer.isEvaluation),
  };
}

/** Stores calls; what they change in rows is noted in `changes`. */
export type WriteCalls = (
  records: readonly ParsedCall[],
  owners: readonly LoadCounts[],
  changes: RowChanges,
) => Promise<readonly RecordOutcome[]>;

/**
 * Writes a batch, its rows at the end: a row comes with its value and with the calls that use it. Returns what each
 * record did.
 */
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
