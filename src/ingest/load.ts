import type { IngestError } from "../errors.ts";
import type { Session, Store } from "../store/session.ts";
import type { Conventions } from "../model/conventions.ts";
import { createCallReading } from "./record/call.ts";
import { prepareBatch, type PlacedRecord } from "./merge/call-batch.ts";
import { parseCallRecord, type RecordForms } from "./record/call-record.ts";
import type { Catalog } from "./keys/catalog.ts";
import { parseDatasetRow, type DatasetRowRecord } from "./record/dataset-row-record.ts";
import { InvalidRecord } from "./record/invalid-record.ts";
import { checkColumns } from "./formats/record-columns.ts";
import type { RecordKind } from "./formats/record-kind.ts";
import { ingestError, type RecordSource } from "./formats/record-source.ts";
import type { CallLookup } from "./lookup/stored-calls.ts";
import { noRecentCalls, replaceRecent } from "./lookup/recent-calls.ts";
import { createTurnTaker } from "../model/turns.ts";
import { writeBehind, type WriteBehind } from "./write/write-behind.ts";
import { writeBatch } from "./write/write-calls.ts";
import { writeDatasetRows } from "./write/write-dataset-rows.ts";
import { beginLoad, forget, knownHashes, saveHashes, type WriterMemory } from "./writer-memory.ts";

/** How far a load has come. */
export interface IngestProgress {
  /** Records read so far. */
  readonly records: number;
  /** Bytes read so far. */
  readonly bytes: number;
  /** Size of the source in bytes; null where it is not known beforehand. */
  readonly totalBytes: number | null;
}

/** Options of a load. */
export interface IngestOptions {
  /** `fail` (default): when a record is refused, nothing of the source is stored. `skip`: the valid records are stored. */
  readonly onInvalid?: "fail" | "skip";
  /** Stops the load; nothing of the source that is under way is stored. */
  readonly signal?: AbortSignal;
  /** Called for each part of a source that was read. */
  readonly onProgress?: (progress: IngestProgress) => void;
}

/** A record that was not stored, and why. */
export interface RejectedRecord {
  /** Name of the source. */
  readonly source: string;
  /** Line or item, from 1. */
  readonly position: number;
  /** Where in the record; empty where the record as a whole is refused. */
  readonly path: readonly (string | number)[];
  /** What is wrong with it. */
  readonly reason: string;
}

/** What a load did. */
export interface IngestResult {
  /** Records read. */
  readonly received: number;
  /** Records that added or changed something. */
  readonly stored: number;
  /** Records that changed nothing. */
  readonly unchanged: number;
  /** Records that were refused; empty unless `onInvalid` is `skip`. */
  readonly rejected: readonly RejectedRecord[];
  /** Members that a call or row does not have, and how many records have them. They are kept with the record. */
  readonly unknown_members: Readonly<Record<string, number>>;
}

interface Tally {
  received: number;
  stored: number;
  unchanged: number;
  readonly rejected: IngestError[];
  readonly unknownMembers: Map<string, number>;
}

interface ParsedRecord {
  readonly unknownMembers: readonly string[];
}

/** How the records of one kind are read and written. */
interface Kind<T> {
  readonly name: RecordKind;
  readonly parse: (text: string, forms: RecordForms) => T;
  readonly write: (
    session: Session,
    catalog: Catalog,
    batch: readonly { record: T; position: number }[],
  ) => Promise<{
    readonly stored: number;
    readonly unchanged: number;
    readonly refused: readonly { readonly position: number; readonly error: InvalidRecord }[];
  }>;
  /** Runs after the last batch, in the same transaction. */
  readonly finish: (session: Session, catalog: Catalog) => Promise<void>;
}

/** Loads one source of call records in one transaction. */
export function loadCalls(
  store: Store,
  conventions: Conventions,
  memory: WriterMemory,
  source: RecordSource,
  options: IngestOptions,
): Promise<IngestResult> {
  const reading = createCallReading(conventions);
  const turns = createTurnTaker();
  const recent = noRecentCalls();
  return load(store, memory, source, options, {
    name: "calls",
    parse: (text, forms) => parseCallRecord(text, reading, forms),
    write: async (session, catalog, records: readonly PlacedRecord[]) => {
      const hashes = await knownHashes(session, memory, catalog, records.length, turns);
      const lookup: CallLookup = { session, reading, hashes, met: memory.met, turns };
      const batch = await prepareBatch(lookup, recent, catalog, records);
      await writeBatch(lookup, recent, catalog, memory.cache, batch);
      return {
        ...batch,
        stored: batch.stored.length,
      };
    },
    finish: async (session, catalog) => {
      await replaceRecent(recent, new Map(), memory.hashes, turns);
      await saveHashes(session, memory, catalog);
    },
  });
}

/** Loads one source of dataset rows in one transaction. */
export function loadDatasetRows(
  store: Store,
  memory: WriterMemory,
  source: RecordSource,
  options: IngestOptions,
): Promise<IngestResult> {
  return load<DatasetRowRecord>(store, memory, source, options, {
    name: "rows",
    parse: (text, { members }) => parseDatasetRow(text, members),
    write: async (session, catalog, batch) => {
      const records = batch.map(({ record }) => record);
      const stored = await writeDatasetRows(session, catalog, records);
      return {
        stored,
        unchanged: records.length - stored,
        refused: [],
      };
    },
    finish: () => Promise.resolve(),
  });
}

const BATCH_RECORDS = 4000;
const BATCH_CHARACTERS = 8 * 1024 * 1024;

async function load<T extends ParsedRecord>(
  store: Store,
  memory: WriterMemory,
  source: RecordSource,
  options: IngestOptions,
  kind: Kind<T>,
): Promise<IngestResult> {
  const tally: Tally = { received: 0, stored: 0, unchanged: 0, rejected: [], unknownMembers: new Map() };
  try {
    await store.write(async (session) => {
      const catalog = await beginLoad(session, memory);
      const behind = writeBehind(session, store.limitToOneThread);
      try {
        await writeAll(behind, catalog, source, options, kind, tally);
        await kind.finish(behind.session, catalog);
        await behind.written();
      } finally {
        await behind.stop();
      }
    }, options.signal);
  } catch (error) {
    forget(memory);
    throw error;
  }
  return {
    received: tally.received,
    stored: tally.stored,
    unchanged: tally.unchanged,
    rejected: tally.rejected
      .toSorted((a, b) => a.position - b.position)
      .map(({ source: name, position, path, message, cause }) => ({
        source: name,
        position,
        path,
        reason: cause instanceof InvalidRecord ? cause.reason : message,
      })),
    unknown_members: Object.fromEntries(tally.unknownMembers),
  };
}

/** Reads and prepares each batch while the previous one is written. */
async function writeAll<T extends ParsedRecord>(
  behind: WriteBehind,
  catalog: Catalog,
  source: RecordSource,
  options: IngestOptions,
  kind: Kind<T>,
  tally: Tally,
): Promise<void> {
  let begun = 0;
  for await (const batch of batches(source, options, kind, tally)) {
    if (++begun === 2) await behind.limitToOneThread();
    await writeCounted(behind.session, catalog, source, options, kind, batch, tally);
    await behind.endBatch();
  }
}

async function writeCounted<T extends ParsedRecord>(
  session: Session,
  catalog: Catalog,
  source: RecordSource,
  options: IngestOptions,
  kind: Kind<T>,
  batch: readonly { record: T; position: number }[],
  tally: Tally,
): Promise<void> {
  const written = await kind.write(session, catalog, batch);
  tally.stored += written.stored;
  tally.unchanged += written.unchanged;
  const refused = new Set(written.refused.map(({ position }) => position));
  for (const { record, position } of batch) {
    if (refused.has(position)) continue;
    for (const name of record.unknownMembers)
      tally.unknownMembers.set(name, (tally.unknownMembers.get(name) ?? 0) + 1);
  }
  for (const { position, error } of written.refused) refuse(source, options, tally, position, error);
}

function refuse(
  source: RecordSource,
  options: IngestOptions,
  tally: Tally,
  position: number,
  error: InvalidRecord,
): void {
  const refusal = ingestError(source.name, position, error);
  if (options.onInvalid !== "skip") throw refusal;
  tally.rejected.push(refusal);
}

/** Parses records into batches, in turns of a fraction of a millisecond, so that the event loop stays free. */
async function* batches<T>(
  source: RecordSource,
  options: IngestOptions,
  kind: Kind<T>,
  tally: Tally,
): AsyncGenerator<{ record: T; position: number }[]> {
  let batch: { record: T; position: number }[] = [];
  let characters = 0;
  const turns = createTurnTaker();
  let checked: readonly string[] | undefined;
  for await (const { records, bytes, columns } of source.groups) {
    options.signal?.throwIfAborted();
    if (columns !== undefined && columns !== checked)
      checkColumns(kind.name, columns, source.name, tally.received + 1);
    checked = columns;
    for (const one of records) {
      const { position, text } = one;
      tally.received++;
      const record = text instanceof InvalidRecord ? text : tryParse(() => kind.parse(text, one));
      if (record instanceof InvalidRecord) {
        refuse(source, options, tally, position, record);
        continue;
      }
      batch.push({ record, position });
      characters += typeof text === "string" ? text.length : 0;
      if (turns.shouldYield()) await turns.next();
    }
    options.onProgress?.({ records: tally.received, bytes, totalBytes: source.totalBytes });
    if (batch.length < BATCH_RECORDS && characters < BATCH_CHARACTERS) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}

function tryParse<T>(parse: () => T): T | InvalidRecord {
  try {
    return parse();
  } catch (error) {
    if (error instanceof InvalidRecord) return error;
    if (error instanceof RangeError) return new InvalidRecord([], `is ${error.message}`);
    throw error;
  }
}
