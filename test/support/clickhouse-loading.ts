import { onTestFinished } from "vitest";
import { openDatabase, type ClickHouseDatabase } from "../../src/engine/clickhouse/open/open-database.ts";
import { createWriters } from "../../src/engine/clickhouse/load/writers.ts";
import { openStore } from "../../src/engine/duckdb/store.ts";
import { createLoading } from "../../src/engine/load-records.ts";
import { createLoader } from "../../src/ingest/loader.ts";
import type { Loading } from "../../src/engine/loading.ts";
import type { Store } from "../../src/store/session.ts";

let parquetStore: Promise<Store> | null = null;

/** Opens a database on ClickHouse as a process of its own would, for loading alone; it closes with the test. */
export async function openLoading(
  url: string,
  database: string,
): Promise<Loading & { readonly database: ClickHouseDatabase }> {
  const opened = await openDatabase({ url, database }, {}, false);
  onTestFinished(() => opened.client.close());
  const { conventions } = opened;
  const writers = createWriters(opened, new AbortController().signal);
  parquetStore ??= openStore({ path: ":memory:", readOnly: false, threads: 1, memoryLimit: null });
  const store = await parquetStore;
  return {
    ...createLoading({ store, conventions, loader: createLoader(writers, conventions) }),
    database: opened,
  };
}
