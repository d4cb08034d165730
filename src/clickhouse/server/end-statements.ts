import { setTimeout as wait } from "node:timers/promises";
import type { ClickHouseClient } from "@clickhouse/client";

/** Ends statements on the server: one goes on there after the connection of its request is closed. */
export interface EndStatements {
  /** Ends the statement of this id. */
  readonly end: (id: string) => void;
  /** Waits until all that is to end has ended. */
  readonly ended: () => Promise<void>;
}

/** A statement may reach the server after it was given up, so it is looked for until it is found, at most so often. */
const ATTEMPTS = 5;
const WAIT_MS = 100;

/** `client` has connections that no statement keeps busy. */
export function createEndStatements(client: ClickHouseClient): EndStatements {
  const ending = new Set<Promise<void>>();
  const endOne = async (id: string) => {
    for (let left = ATTEMPTS; left > 0; left--) {
      const found = await client.query({
        query: "KILL QUERY WHERE query_id = {id: String} SYNC",
        query_params: { id },
        format: "JSONCompactEachRow",
      });
      if ((await found.json()).length > 0) return;
      await wait(WAIT_MS);
    }
  };
  return {
    end: (id) => {
      // Where it cannot be ended, the server ends it after max_execution_time.
      const task = endOne(id)
        .catch(() => undefined)
        .finally(() => ending.delete(task));
      ending.add(task);
    },
    ended: async () => {
      await Promise.all(ending);
    },
  };
}
