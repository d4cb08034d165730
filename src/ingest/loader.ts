import type { Conventions } from "../model/conventions.ts";
import { createGroupCommit } from "../store/group-commit.ts";
import type { RecordKind } from "./formats/record-kind.ts";
import { readLoad, type Load, type ReadLoad, type ParsedRecord, type RecordReader } from "./read-load.ts";
import { writeLoads, type LoadResult } from "./write-loads.ts";
import type { StorableRecord, Writer, Writers } from "./writer.ts";
import type { IngestOptions } from "./load.ts";
import { createCallReading } from "./record/call-reading.ts";
import { parseCallRecord, type ParsedCall } from "./record/call-record.ts";
import { parseDatasetRow, type ParsedRow } from "./record/dataset-row-record.ts";
import { ofSender, ofUser } from "./of-sender.ts";

/** Loads one source of records; resolves when it is durable. `mixed` holds calls and dataset rows. */
export type Loader = (kind: RecordKind | "mixed", load: Load) => Promise<LoadResult>;

/** Reads the first batch of a load. */
export type ReadRecords = (kind: RecordKind | "mixed", load: Load) => Promise<ReadLoad<StorableRecord>>;

/**
 * Loads sources one after another. Small ones that wait at the same time share a transaction; a large one has its own.
 * Each is stored as a whole or not at all.
 */
export function createLoader(
  writers: Writers,
  conventions: Conventions,
  read: ReadRecords = readHere(conventions),
): Loader {
  const loaderOf = (kind: RecordKind | "mixed") => createLoaderOf(writers, (load) => read(kind, load));
  const loaders = { calls: loaderOf("calls"), rows: loaderOf("rows"), mixed: loaderOf("mixed") };
  return (kind, load) => loaders[kind](load);
}

/** Reads records where it is called. */
export function readHere(conventions: Conventions): ReadRecords {
  return (kind, load) => readLoad(load, kindOf(kind, conventions).reader(load.options));
}

/** A load in the queue. */
interface QueuedLoad extends Load {
  read: ReadLoad<StorableRecord> | null;
  isSettled: boolean;
}

function createLoaderOf(writers: Writers, read: (load: Load) => Promise<ReadLoad<StorableRecord>>) {
  const commit = createGroupCommit<QueuedLoad, ReadLoad<StorableRecord>, LoadResult, Writer>(writers, {
    prepare: async (load) => {
      load.read = await read(load);
      if (load.isSettled) await stopReading(load);
      return load.read;
    },
    write: writeLoads,
    rolledBack: writers.rolledBack,
  });
  return async (load: Load): Promise<LoadResult> => {
    const queued: QueuedLoad = { ...load, read: null, isSettled: false };
    const opensGroup = load.alone || load.source.inMemory !== true;
    try {
      return await commit(queued, { signal: load.options.signal, opensGroup });
    } finally {
      queued.isSettled = true;
      await stopReading(queued);
    }
  };
}

/** Lets go of what the source of a load holds. */
async function stopReading({ read }: QueuedLoad): Promise<void> {
  await read?.rest?.return();
}

/** How the records of one kind are read. */
interface Kind<T extends ParsedRecord> {
  /** A reader for one source. */
  readonly reader: (options: IngestOptions) => RecordReader<T>;
}

function callKind(conventions: Conventions): Kind<ParsedCall> {
  return {
    reader: ({ partial: isPart = false }) => {
      const reading = createCallReading(conventions);
      return {
        name: "calls",
        parse: (text, forms) => parseCallRecord(text, reading, isPart ? { ...forms, isPart } : forms),
      };
    },
  };
}

const ROW_KIND: Kind<ParsedRow> = {
  reader: () => ({ name: "rows", parse: (text, { members }) => parseDatasetRow(text, members) }),
};

/** Calls and dataset rows, which each record tells apart. */
function mixedKind(conventions: Conventions): Kind<ParsedCall | ParsedRow> {
  const calls = callKind(conventions);
  return {
    reader: (options) => {
      const [call, row] = [calls.reader(options), ROW_KIND.reader(options)];
      return {
        name: "calls",
        parse: (text, forms) => (forms.isRow === true ? row : call).parse(text, forms),
      };
    },
  };
}

/** The kind of this name; `mixed` holds calls and dataset rows. */
export function kindOf(name: RecordKind | "mixed", conventions: Conventions): Kind<ParsedCall | ParsedRow> {
  const { reader } = ofAnySender(name, conventions);
  return {
    reader: (options) => {
      const { sender, user } = options;
      if (sender !== undefined) return ofSender(reader(options), sender);
      return user === undefined || user === "" ? reader(options) : ofUser(reader(options), user);
    },
  };
}

function ofAnySender(name: RecordKind | "mixed", conventions: Conventions): Kind<ParsedCall | ParsedRow> {
  switch (name) {
    case "calls":
      return callKind(conventions);
    case "rows":
      return ROW_KIND;
    case "mixed":
      return mixedKind(conventions);
  }
}
