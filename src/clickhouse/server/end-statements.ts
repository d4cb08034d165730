import { setTimeout as wait } from "node:timers/promises";
import type { ClickHouseClient } from "@clickhouse/client";

export type EndStatements = ReturnType<typeof createEndStatements>;

/** A statement may reach the server after it was given up, so it is looked for until it is found, at most so often. */
const ATTEMPTS = 5;
const WAIT_MS = 100;

/**
 * Ends statements on the server: one goes on there after the connection of its request is closed. `client` has connections that no
 * statement keeps busy.
 */
export function createEndStatements(client: ClickHouseClient) {
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
    end: (id: string) => {
      // Where it cannot be ended, the server ends it after max_execution_time.
      const task = endOne(id)
        .catch(() => undefined)
        .finally(() => ending.delete(task));
      ending.add(task);
    },
    /** Waits until all that is to end has ended. */
    ended: async () => {
      await Promise.all(ending);
    },
  };
}
