import { createTurns } from "../../../model/turns.ts";
import type { Store } from "../../../store/session.ts";
import { StoreError } from "../../../errors.ts";
import type { ClickHouse } from "../client.ts";
import { openSession } from "./session.ts";

function refuse(): Promise<never> {
  return Promise.reject(new StoreError("unsupported_on_backend", "this store only reads"));
}

/** A store that only reads. */
export function createReads(client: ClickHouse, database: string): Store {
  const turns = createTurns();
  const closing = new AbortController();
  return {
    turns,
    epoch: () => null,
    read: async (work, signal) => {
      closing.signal.throwIfAborted();
      return work(await openSession({ client, database, turns, signal }));
    },
    write: refuse,
    scratch: refuse,
    memoryBytes: 0,
    inTurn: refuse,
    copy: refuse,
    watchMemory: () => () => Promise.resolve(),
    limitToOneThread: refuse,
    closing: closing.signal,
    close: async () => {
      closing.abort(new Error("the store is closed"));
      await client.close();
    },
  };
}
