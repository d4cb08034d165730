import { createLoader, type Loader } from "../ingest/loader.ts";
import { loadThreadCode } from "../load-thread-code.ts";
import { StoreError, UnsupportedError } from "../errors.ts";
import type { Conventions } from "../model/conventions.ts";
import type { FileStore } from "../store/session.ts";
import type { Backend } from "./backend.ts";
import { openDatabase } from "../clickhouse/open/open-database.ts";
import type { ClickHouseOptions } from "../clickhouse/server/options.ts";
import { createStore, type ServerStore } from "../clickhouse/store.ts";
import { openStore } from "../duckdb/store.ts";
import type { EngineOptions } from "./engine-options.ts";
import { checkText } from "../flow/check-options.ts";
import { copyTo } from "./migrate/copy-database.ts";
import { readLargeFiles } from "../duckdb/load-thread/read-large-files.ts";
import { openFile } from "./open-file.ts";
import type { ParquetReader } from "../duckdb/parquet/parquet.ts";
import type { Statements } from "./statements.ts";

/** Opens a database on a server of ClickHouse. */
export async function openServer(
  server: ClickHouseOptions,
  options: EngineOptions,
): Promise<Backend<ServerStore>> {
  refuseOptionsOfFiles(options);
  const { predictAndScoreOps, attributeNamespaces, readOnly = false } = options;
  const wanted = {
    ...(predictAndScoreOps === undefined ? {} : { predictAndScoreOps }),
    ...(attributeNamespaces === undefined ? {} : { attributeNamespaces }),
  };
  const database = await openDatabase(server, wanted, readOnly);
  const files = openFiles();
  const store = createStore(database);
  const { conventions } = database;
  const backend: Backend<ServerStore> = {
    store: {
      ...store,
      close: async () => {
        await store.close();
        await files.close();
      },
    },
    conventions,
    loader: openLoader(store, conventions, options.onWarning),
    writers: store.writers,
    keep: store.keep,
    parquet: files,
    scratch: files.scratch,
    statements: REFUSED,
    check: store.check,
    backUp: (target) => backUp(backend, target),
    maintain: async () => {
      const { givenUp, purged, ended } = await store.maintain();
      return { loads_removed: givenUp + purged, records_removed: ended };
    },
  };
  return backend;
}

function openLoader(
  { writers, closing }: ServerStore,
  conventions: Conventions,
  onWarning: EngineOptions["onWarning"],
): Loader {
  const read = readLargeFiles({ code: loadThreadCode, conventions, closing, onWarning });
  return createLoader(writers, conventions, read);
}

/** Copies the database to a file. */
async function backUp(backend: Backend<ServerStore>, target: string): Promise<void> {
  checkText("target", target);
  await copyTo(openFile, backend, { path: target });
}

function refuseOptionsOfFiles(options: EngineOptions): void {
  const other = (["path", "threads", "memoryLimit"] as const).find((name) => options[name] !== undefined);
  if (other === undefined) return;
  throw new StoreError("invalid_option", `${other} is an option of files; leave it out with clickhouse`);
}

/** A DuckDB in memory, opened when it is first needed, that reads Parquet files and writes files of every format. */
function openFiles(): ParquetReader & Pick<FileStore, "scratch" | "close"> {
  let opened: Promise<FileStore> | null = null;
  const open = () =>
    (opened ??= openStore({ path: ":memory:", readOnly: false, threads: null, memoryLimit: "1GiB" }));
  return {
    read: async (work, signal) => (await open()).read(work, signal),
    scratch: async (work, signal) => (await open()).scratch(work, signal),
    close: async () => (await opened)?.close(),
  };
}

/** SQL reads the views of DuckDB. */
const REFUSED: Statements = {
  sql: () => Promise.reject(refused("sql")),
  sqlBatches: () => {
    throw refused("sqlBatches");
  },
  exportSql: () => Promise.reject(refused("exportSql")),
};

function refused(feature: string): UnsupportedError {
  return new UnsupportedError(
    feature,
    `${feature}: SQL is not offered on ClickHouse; ask with queryTable or exportResults (evalcube query, evalcube export), or copy the database to a file with evalcube migrate`,
  );
}
