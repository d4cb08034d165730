import { openStore } from "../../src/engine/duckdb/store.ts";
import type { Store } from "../../src/store/session.ts";

/** A database with all its tables. */
export function openTables(path = ":memory:"): Promise<Store> {
  return openStore({ path, readOnly: false, threads: 1, memoryLimit: null });
}
