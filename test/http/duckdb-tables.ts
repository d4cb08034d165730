import { openStore } from "../../src/duckdb/store.ts";
import type { FileStore } from "../../src/store/session.ts";

/** A database with all its tables. */
export function openTables(path = ":memory:"): Promise<FileStore> {
  return openStore({ path, readOnly: false, threads: 1, memoryLimit: null });
}
