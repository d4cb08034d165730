import { createTurns } from "../../model/turns.ts";
import type { Store } from "../../store/session.ts";
import { createClosing } from "../flow/closing.ts";
import { createUnderWay } from "../flow/under-way.ts";
import { createWriters, type DatabaseWriters } from "./load/writers.ts";
import type { ClickHouseDatabase } from "./open/open-database.ts";
import { openSession } from "./read/session.ts";

/** What reads and writes a database on a server; both end when it closes. */
export interface ServerStore extends Store {
  readonly writers: DatabaseWriters;
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
    close: closing.close,
  };
}
