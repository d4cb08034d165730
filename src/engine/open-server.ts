import { createLoader, type ReadRecords } from "../ingest/loader.ts";
import { StoreError, UnsupportedError } from "../errors.ts";
import type { Conventions } from "../model/conventions.ts";
import type { ParquetFiles } from "../ingest/formats/parquet-files.ts";
import type { CopyResult } from "../store/session.ts";
import type { Backend } from "./backend.ts";
import { openDatabase } from "../clickhouse/open/open-database.ts";
import type { ClickHouseOptions } from "../clickhouse/server/options.ts";
import { createStore, type ServerStore } from "../clickhouse/store.ts";
import type { EngineOptions } from "./engine-options.ts";
import { checkText } from "../flow/check-options.ts";
import type { Maintenance } from "./maintenance.ts";
import type { Statements } from "./statements.ts";

/** What a server leaves to this process. */
interface BesideServer {
  readonly parquet: ParquetFiles;
  /** Copies a result, so that files of every format can be written. */
  readonly copied: CopyResult;
  /** Called when the server is closed. */
  readonly close: () => Promise<void>;
  /** How the records of a source are read. */
  readonly reading: (conventions: Conventions, closing: AbortSignal) => ReadRecords;
  readonly copyToFile: (from: Backend<ServerStore>, path: string) => Promise<void>;
}

/** Opens a database on a server of ClickHouse. */
export async function openServer(
  server: ClickHouseOptions,
  options: EngineOptions,
  { parquet, copied, close, reading, copyToFile }: BesideServer,
): Promise<Backend<ServerStore>> {
  refuseOptionsOfFiles(options);
  const database = await openDatabase(server, options, options.readOnly ?? false);
  const store = createStore(database);
  try {
    await store.writers.readStoredSteps();
  } catch (error) {
    await store.close();
    throw error;
  }
  const { conventions } = database;
  const backend: Backend<ServerStore> = {
    store: {
      ...store,
      close: async () => {
        await store.close();
        await close();
      },
    },
    conventions,
    loader: createLoader(store.writers, conventions, reading(conventions, store.closing)),
    writers: store.writers,
    keep: store.keep,
    parquet,
    copied,
    statements: REFUSED,
    check: store.check,
    measure: store.measure,
    backUp: async (target) => {
      checkText("target", target);
      await copyToFile(backend, target);
    },
    maintain: () => maintain(store),
  };
  return backend;
}

async function maintain(store: ServerStore): Promise<Maintenance> {
  const { givenUp, purged, ended } = await store.maintain();
  return { loads_removed: givenUp + purged, records_removed: ended };
}

function refuseOptionsOfFiles(options: EngineOptions): void {
  const other = (["path", "threads", "memoryLimit"] as const).find((name) => options[name] !== undefined);
  if (other === undefined) return;
  throw new StoreError("invalid_option", `${other} is an option of files; leave it out with clickhouse`);
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
