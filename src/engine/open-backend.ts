import { setTimeout as wait } from "node:timers/promises";
import { readLargeFiles } from "../duckdb/load-thread/read-large-files.ts";
import { loadThreadCode } from "../load-thread-code.ts";
import { StoreError } from "../errors.ts";
import type { FileStore, RecordStore, Store } from "../store/session.ts";
import { parquetFiles } from "../duckdb/parquet/parquet.ts";
import { openStore } from "../duckdb/store.ts";
import { copyResults } from "../duckdb/write/records.ts";
import type { Backend } from "./backend.ts";
import type { EngineOptions } from "./engine-options.ts";
import { copyTo } from "./copy-database.ts";
import { openFile } from "./open-file.ts";

/** Between two attempts to open a database that another process holds. */
const AGAIN_MS = 50;

/**
 * Calls `open`, and again for `patienceMs` while another process holds the database, or until `signal` is aborted.
 */
export async function openPatiently<T>(
  open: () => Promise<T>,
  patienceMs: number,
  signal?: AbortSignal,
): Promise<T> {
  for (const until = performance.now() + patienceMs; ; await wait(AGAIN_MS, undefined, { signal })) {
    try {
      return await open();
    } catch (error) {
      const isLocked = error instanceof StoreError && error.code === "locked_database";
      if (!isLocked || performance.now() > until) throw error;
    }
  }
}

/** Opens what the options name. What a server needs is loaded when one is named. */
export async function openBackend(options: EngineOptions): Promise<Backend<Store & RecordStore>> {
  const { clickhouse, onWarning } = options;
  if (clickhouse === undefined) return await openFile(options);
  const { openServer } = await import("./open-server.ts");
  return await openServer(clickhouse, options, {
    ...besideServer(),
    reading: (conventions, closing) =>
      readLargeFiles({ code: loadThreadCode, conventions, closing, onWarning }),
    copyToFile: async (from, path) => void (await copyTo(openFile, from, { path })),
  });
}

/** A database in memory, opened when it is first needed, that reads Parquet files and copies results. */
export function besideServer() {
  let opened: Promise<FileStore> | null = null;
  const open = () =>
    (opened ??= openStore({ path: ":memory:", readOnly: false, threads: null, memoryLimit: "1GiB" }));
  return {
    parquet: parquetFiles({ read: async (work, signal) => (await open()).read(work, signal) }),
    copied: copyResults({ scratch: async (work, signal) => (await open()).scratch(work, signal) }),
    close: async () => (await opened)?.close(),
  };
}
