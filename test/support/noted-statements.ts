import type { Bound, ClickHouse } from "../../src/clickhouse/server/client.ts";
import type { ClickHouseOptions } from "../../src/clickhouse/server/options.ts";
import { openDatabase } from "../../src/clickhouse/open/open-database.ts";
import { createStore } from "../../src/clickhouse/store.ts";
import { createCore } from "../../src/engine/engine.ts";
import { openBackend } from "../../src/engine/open-backend.ts";

export interface Sent {
  readonly statement: string;
  readonly bound: Bound;
}

/** Opens an engine that keeps no answer and notes in `sent` what it asks the server; `client` asks it beside the engine. */
export async function openNoting(clickhouse: ClickHouseOptions, sent: Sent[]) {
  const backend = await openBackend({ clickhouse });
  const database = await openDatabase(clickhouse, {}, false);
  const { client } = database;
  const store = createStore({ ...database, client: noting(client, sent) });
  const close = async () => {
    await store.close();
    await backend.store.close();
  };
  return { ...createCore({ ...backend, store }, { keepAnswers: false }), client, close };
}

function noting(client: ClickHouse, sent: Sent[]): ClickHouse {
  return {
    ...client,
    arrow: (statement, bound = {}, options = {}) => {
      sent.push({ statement, bound });
      return client.arrow(statement, bound, options);
    },
  };
}
