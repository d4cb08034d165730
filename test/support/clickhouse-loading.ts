import { RunReader } from "../../src/engine/import/stored-runs.ts";
import { onTestFinished } from "vitest";
import { openDatabase, type ClickHouseDatabase } from "../../src/clickhouse/open/open-database.ts";
import type { ClickHouseOptions } from "../../src/clickhouse/server/options.ts";
import { createWriters } from "../../src/clickhouse/load/writers.ts";
import { parquetFiles } from "../../src/duckdb/parquet/parquet.ts";
import { openStore } from "../../src/duckdb/store.ts";
import { createStore } from "../../src/clickhouse/store.ts";
import { createLoading } from "../../src/engine/load-records.ts";
import { createLoader } from "../../src/ingest/loader.ts";
import type { Loading } from "../../src/engine/loading.ts";
import type { Store } from "../../src/store/session.ts";

let parquetStore: Promise<Store> | null = null;

/**
 * Opens a database on ClickHouse as a process of its own would, for loading alone; it closes with the test. `through` may stand between it
 * and the server.
 */
export async function openLoading(
  server: string | Omit<ClickHouseOptions, "database">,
  database: string,
  through: (opened: ClickHouseDatabase) => ClickHouseDatabase = (opened) => opened,
): Promise<Loading & { readonly database: ClickHouseDatabase }> {
  const options = typeof server === "string" ? { url: server } : server;
  const direct = await openDatabase({ ...options, database }, {}, false);
  const opened = through(direct);
  const { conventions } = opened;
  const writers = createWriters(opened, new AbortController().signal);
  onTestFinished(async () => {
    await writers.ended();
    await direct.close();
  });
  parquetStore ??= openStore({ path: ":memory:", readOnly: false, threads: 1, memoryLimit: null });
  return {
    ...createLoading({
      parquet: parquetFiles(await parquetStore),
      conventions,
      loader: createLoader(writers, conventions),
      stored: (project) => new RunReader(createStore(opened), project),
    }),
    database: opened,
  };
}
