import { createTurns } from "../../model/turns.ts";
import type { Store } from "../../store/session.ts";
import { createClosing } from "../flow/closing.ts";
import { createUnderWay } from "../flow/under-way.ts";
import type { Keep } from "../../ingest/kept.ts";
import { keptOnServer } from "./copy/kept-on-server.ts";
import { maintain } from "./load/maintain.ts";
import { checkWritable, createWriters, type DatabaseWriters } from "./load/writers.ts";
import type { ClickHouseDatabase } from "./open/open-database.ts";
import { openSession } from "./read/session.ts";

/** What reads and writes a database on a server; both end when it closes. */
export interface ServerStore extends Store {
  readonly writers: DatabaseWriters;
  readonly keep: Keep;
  /** Throws `StoreError` `read_only` where the database is open for reading. */
  readonly maintain: () => ReturnType<typeof maintain>;
}

export function createStore(database: ClickHouseDatabase): ServerStore {
  const turns = createTurns();
  const underWay = createUnderWay();
  const closing = createClosing(database.name, async () => {
    await writers.ended();
    await underWay.ended();
    await database.client.close();
  });
  const writers = createWriters(database, closing.signal);
  return {
    turns,
    writers,
    closing: closing.signal,
    epoch: () => null,
    read: async (work, signal) => {
      closing.signal.throwIfAborted();
      return underWay.track(openSession({ database, turns, signal }).then(work));
    },
    keep: async (work, signal) => {
      closing.signal.throwIfAborted();
      return underWay.track(keptOnServer(database, signal).then(work));
    },
    maintain: async () => {
      closing.signal.throwIfAborted();
      checkWritable(database);
      return underWay.track(maintain(database));
    },
    close: closing.close,
  };
}
