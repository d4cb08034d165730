import { createTurns } from "../model/turns.ts";
import type { RecordStore, Store } from "../store/session.ts";
import type { CheckResult } from "../store/check-result.ts";
import {
  createClosing,
  createInterrupts,
  createUnderWay,
  createWriteQueue,
  type UnderWay,
} from "../flow/tasks.ts";
import { epochCache, remembered } from "../flow/epoch-cache.ts";
import type { Keep } from "../ingest/kept.ts";
import { checkServer } from "./check/check-database.ts";
import { measureServer } from "./check/measure.ts";
import type { Measured } from "../store/measured.ts";
import { keptOnServer } from "./copy/kept-on-server.ts";
import { maintain } from "./load/maintain.ts";
import { checkWritable, createWriters, type DatabaseWriters } from "./load/writers.ts";
import { createCallSearch } from "./lookup/call-search.ts";
import type { ClickHouseDatabase } from "./open/open-database.ts";
import type { Naming } from "./read/naming.ts";
import { openSession, type Reading } from "./read/session.ts";
import { createReadState } from "./read/state.ts";
import { createRecords } from "./records/writing.ts";

/** What reads and writes a database on a server; both end when it closes. */
export interface ServerStore extends Store, RecordStore {
  readonly writers: DatabaseWriters;
  readonly keep: Keep;
  readonly check: (signal?: AbortSignal) => Promise<CheckResult>;
  readonly measure: (signal?: AbortSignal) => Promise<Measured>;
  /** Throws `StoreError` `read_only` where the database is open for reading. */
  readonly maintain: () => ReturnType<typeof maintain>;
}

/** Most keys that are kept, about 100 bytes each. */
const CACHED_KEYS = 200_000;

function keptNamings(): Reading["naming"] {
  const known = epochCache<Naming>(
    CACHED_KEYS,
    (_project, { evaluations, paths, ended }) => 1 + evaluations.size + paths.length + ended.size,
  );
  return (projectId, epoch, read) => remembered(known, epoch, projectId, read);
}

export function createStore(database: ClickHouseDatabase): ServerStore {
  const turns = createTurns();
  const underWay = createUnderWay();
  const { around, interrupt } = createInterrupts();
  const writes = createWriteQueue();
  const closing = createClosing(database.name, async () => {
    await writes.ended();
    await writers.ended();
    await underWay.ended();
    await database.close();
  });
  const writers = createWriters(database, closing.signal);
  const naming = keptNamings();
  const readState = createReadState(database);
  // Turns of records end after the store is asked to close.
  const readOn: Store["read"] = (work, signal) =>
    underWay.track(
      around((stop) => openSession({ database, readState, turns, naming, signal: stop }).then(work), signal),
    );
  return {
    turns,
    writers,
    records: createRecords({ database, read: readOn, closing: closing.signal, writes }),
    calls: createCallSearch(database),
    closing: closing.signal,
    epoch: async () => (closing.signal.aborted ? null : (await readState()).epoch),
    read: async (work, signal) => {
      closing.signal.throwIfAborted();
      return readOn(work, signal);
    },
    ...workOn(database, closing.signal, underWay),
    interrupt,
    close: closing.close,
  };
}

/** Work on the database as a whole, which it accepts until it closes. */
function workOn(
  database: ClickHouseDatabase,
  closing: AbortSignal,
  { track }: UnderWay,
): Pick<ServerStore, "keep" | "check" | "measure" | "maintain"> {
  return {
    keep: async (work, signal) => {
      closing.throwIfAborted();
      return track(keptOnServer(database, signal).then(work));
    },
    check: async (signal) => {
      closing.throwIfAborted();
      return track(checkServer(database, signal));
    },
    measure: async (signal) => {
      closing.throwIfAborted();
      return track(measureServer(database, signal));
    },
    maintain: async () => {
      closing.throwIfAborted();
      checkWritable(database);
      return track(maintain(database));
    },
  };
}
