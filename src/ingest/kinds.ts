import type { Conventions } from "../model/conventions.ts";
import { createTurnTaker } from "../model/turns.ts";
import type { Session } from "../store/session.ts";
import { countBatch, type LoadCounts } from "./counts.ts";
import type { Catalog } from "./keys/catalog.ts";
import type { IngestOptions } from "./load.ts";
import { noRecentCalls, replaceRecent } from "./lookup/recent-calls.ts";
import type { CallLookup } from "./lookup/stored-calls.ts";
import { prepareBatch, type RecordOutcome } from "./merge/call-batch.ts";
import type { ParsedRecord, RecordReader } from "./read-load.ts";
import { createCallReading } from "./record/call.ts";
import { parseCallRecord, type ParsedCall } from "./record/call-record.ts";
import { parseDatasetRow, type ParsedRow } from "./record/dataset-row-record.ts";
import { writeBatch } from "./write/write-calls.ts";
import { noRowChanges, writeRows, type RowChanges } from "./write/dataset-rows.ts";
import { noteDatasetRows } from "./write/note-dataset-rows.ts";
import { knownHashes, saveHashes, type WriterMemory } from "./writer-memory.ts";

/** Writes the records of one transaction. */
export interface RecordWriter<T> {
  /** Writes a batch and counts each record for its owner; returns what each record did, in the same order. */
  readonly write: (
    session: Session,
    catalog: Catalog,
    batch: readonly T[],
    owners: readonly LoadCounts[],
  ) => Promise<readonly RecordOutcome[]>;
  /** Runs after the last batch, in the same transaction. */
  readonly finish: (session: Session, catalog: Catalog) => Promise<void>;
}

/** How the records of one kind are read and written. */
export interface Kind<T extends ParsedRecord> {
  /** A reader for one source. */
  readonly reader: (options: IngestOptions) => RecordReader<T>;
  /** A writer for one transaction. */
  readonly writer: (memory: WriterMemory) => RecordWriter<T>;
}

/** Writes records of one kind; what they change in rows is noted in `rows`, and written by the caller. */
interface RowNoter<T> {
  readonly write: (
    session: Session,
    catalog: Catalog,
    batch: readonly T[],
    owners: readonly LoadCounts[],
    rows: RowChanges,
  ) => Promise<readonly RecordOutcome[]>;
  readonly finish: (session: Session, catalog: Catalog) => Promise<void>;
}

/** Writes the rows of a batch at its end: a row comes with its value and with the calls that use it. */
function writingRows<T>({ write, finish }: RowNoter<T>): RecordWriter<T> {
  return {
    write: async (session, catalog, batch, owners) => {
      const rows = noRowChanges();
      const outcomes = await write(session, catalog, batch, owners, rows);
      await writeRows(session, rows);
      return outcomes;
    },
    finish,
  };
}

export function callKind(conventions: Conventions): Kind<ParsedCall> {
  return {
    reader: ({ partial: isPart = false }) => {
      const reading = createCallReading(conventions);
      return {
        name: "calls",
        parse: (text, forms) => parseCallRecord(text, reading, isPart ? { ...forms, isPart } : forms),
      };
    },
    writer: (memory) => writingRows(callNoter(conventions, memory)),
  };
}

function callNoter(conventions: Conventions, memory: WriterMemory): RowNoter<ParsedCall> {
  const reading = createCallReading(conventions);
  const turns = createTurnTaker();
  const recent = noRecentCalls();
  return {
    write: async (session, catalog, records, owners, rows) => {
      const hashes = await knownHashes(session, memory, catalog, records.length, turns);
      const lookup: CallLookup = { session, reading, hashes, met: memory.met, turns };
      const batch = await prepareBatch(lookup, recent, catalog, records);
      await writeBatch(lookup, recent, catalog, memory.cache, batch, rows);
      countBatch(catalog, batch, owners);
      return batch.outcomes;
    },
    finish: async (session, catalog) => {
      await replaceRecent(recent, new Map(), memory.hashes, turns);
      await saveHashes(session, memory, catalog);
    },
  };
}

function rowNoter({ cache }: WriterMemory): RowNoter<ParsedRow> {
  const turns = createTurnTaker();
  return {
    write: (session, catalog, records, _, rows) =>
      noteDatasetRows({ session, catalog, cache, turns }, records, rows),
    finish: () => Promise.resolve(),
  };
}

export const ROW_KIND: Kind<ParsedRow> = {
  reader: () => ({ name: "rows", parse: (text, { members }) => parseDatasetRow(text, members) }),
  writer: (memory) => writingRows(rowNoter(memory)),
};

/** Calls and dataset rows, which each record tells apart. */
export function mixedKind(conventions: Conventions): Kind<ParsedCall | ParsedRow> {
  const calls = callKind(conventions);
  return {
    reader: (options) => {
      const [call, row] = [calls.reader(options), ROW_KIND.reader(options)];
      return {
        name: "calls",
        parse: (text, forms) => (forms.isRow === true ? row : call).parse(text, forms),
      };
    },
    writer: (memory) => {
      const [call, row] = [callNoter(conventions, memory), rowNoter(memory)];
      return writingRows({
        write: async (session, catalog, batch, owners, rows) => {
          const ofRows = await row.write(session, catalog, batch.filter(isRow), [], rows);
          const ownersOfCalls = owners.filter((_, i) => isCall(batch[i]));
          const ofCalls = await call.write(session, catalog, batch.filter(isCall), ownersOfCalls, rows);
          const [nextCall, nextRow] = [ofCalls.values(), ofRows.values()];
          return batch.map((one) => (isCall(one) ? nextCall : nextRow).next().value ?? "unchanged");
        },
        finish: call.finish,
      });
    },
  };
}

function isCall(record: ParsedCall | ParsedRow | undefined): record is ParsedCall {
  return record !== undefined && !("digest" in record);
}

function isRow(record: ParsedCall | ParsedRow): record is ParsedRow {
  return !isCall(record);
}
