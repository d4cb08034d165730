import { openInMemory } from "../duckdb/open-in-memory.ts";
import { readLargeFiles } from "../duckdb/load-thread/read-large-files.ts";
import { loadThreadCode } from "../load-thread-code.ts";
import type { RecordStore, Store } from "../store/session.ts";
import type { Backend } from "./backend.ts";
import type { EngineOptions } from "./engine-options.ts";
import { copyTo } from "./migrate/copy-database.ts";
import { openFile } from "./open-file.ts";

/** Opens what the options name. What a server needs is loaded when one is named. */
export async function openBackend(options: EngineOptions): Promise<Backend<Store & RecordStore>> {
  const { clickhouse, onWarning } = options;
  if (clickhouse === undefined) return await openFile(options);
  const { openServer } = await import("./open-server.ts");
  return await openServer(clickhouse, options, {
    files: openInMemory(),
    reading: (conventions, closing) =>
      readLargeFiles({ code: loadThreadCode, conventions, closing, onWarning }),
    copyToFile: async (from, path) => void (await copyTo(openFile, from, { path })),
  });
}
