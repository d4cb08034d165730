import type { ClickHouse } from "../../src/clickhouse/server/client.ts";
import type { ClickHouseDatabase } from "../../src/clickhouse/open/open-database.ts";

/** A database whose client does something once, before the first record of a call is sent: so others commit before its load does. */
export function after(database: ClickHouseDatabase, work: () => Promise<unknown>): ClickHouseDatabase {
  let isFirst = true;
  const client: ClickHouse = {
    ...database.client,
    insert: async (table, ...others) => {
      if (isFirst && table === "fragments") {
        isFirst = false;
        await work();
      }
      await database.client.insert(table, ...others);
    },
  };
  return { ...database, client, shards: [client] };
}
