import { createLoader } from "../ingest/loader.ts";
import { createSessionWriters } from "../ingest/session-writer.ts";
import type { Conventions } from "../model/conventions.ts";
import type { FileStore } from "../store/session.ts";
import type { Backend } from "./backend.ts";
import { backUp } from "./backup.ts";
import { settleConventions } from "./catalog/conventions.ts";
import { checkDatabase } from "./check/check-database.ts";
import { openStore } from "./duckdb/store.ts";
import type { EngineOptions } from "./engine-options.ts";
import { keptInFile } from "./migrate/kept-in-file.ts";
import { createStatements } from "./statements.ts";

/** Opens a database of DuckDB, in a file or in memory, and settles its conventions. */
export async function openFile(options: EngineOptions): Promise<Backend<FileStore>> {
  const path = options.path ?? ":memory:";
  const store = await openStore({
    path,
    readOnly: options.readOnly ?? false,
    threads: options.threads ?? null,
    memoryLimit: options.memoryLimit ?? (path === ":memory:" ? null : "1GiB"),
    ...(options.onWarning === undefined ? {} : { onWarning: options.onWarning }),
  });
  const conventions = await settled(store, path, options);
  const writers = createSessionWriters(store, conventions);
  return {
    store,
    conventions,
    loader: createLoader(writers, conventions),
    writers,
    keep: (work, signal) => store.read((session) => work(keptInFile(session, signal)), signal),
    parquet: store,
    statements: createStatements(store),
    check: (signal) => checkDatabase(store, conventions, signal),
    backUp: (target) => backUp(store, target),
    maintain: () => Promise.resolve({ loads_removed: 0, records_removed: 0 }),
  };
}

async function settled(store: FileStore, path: string, options: EngineOptions): Promise<Conventions> {
  const { predictAndScoreOps, attributeNamespaces } = options;
  try {
    return await settleConventions(store, path, {
      ...(predictAndScoreOps === undefined ? {} : { predictAndScoreOps }),
      ...(attributeNamespaces === undefined ? {} : { attributeNamespaces }),
    });
  } catch (error) {
    await store.close();
    throw error;
  }
}
