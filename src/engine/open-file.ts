import { availableParallelism } from "node:os";
import { createLoader, type Loader } from "../ingest/loader.ts";
import { createSessionWriters } from "../duckdb/load/session-writer.ts";
import type { Writers } from "../ingest/writer.ts";
import { createWriterMemory, type WriterMemory } from "../duckdb/load/writer-memory.ts";
import { loadThreadCode } from "../load-thread-code.ts";
import type { Conventions } from "../model/conventions.ts";
import type { FileStore } from "../store/session.ts";
import type { Backend } from "./backend.ts";
import { settleConventions } from "../duckdb/conventions.ts";
import { checkDatabase } from "../duckdb/check/check-database.ts";
import { measureFile } from "../duckdb/check/measure.ts";
import { readStoredSteps } from "../duckdb/load/read-stored-steps.ts";
import { openStore } from "../duckdb/store.ts";
import { chooseLoader, createThreadLoader } from "../duckdb/load-thread/thread-loader.ts";
import { createLoadThread } from "../duckdb/load-thread/load-thread.ts";
import type { EngineOptions } from "./engine-options.ts";
import { parquetFiles } from "../duckdb/parquet/parquet.ts";
import { keptInFile } from "../duckdb/copy/kept-in-file.ts";
import { createStatementRunner } from "../duckdb/sql/query-sql.ts";
import { createStatements } from "./statements.ts";
import { checkText } from "../flow/check-options.ts";
import { refuseTaken } from "../flow/passing-file.ts";
import { replaceFile, writeFileChunks } from "./export/to-file.ts";

/** Opens a database of DuckDB, in a file or in memory, and settles its conventions. */
export async function openFile(options: EngineOptions): Promise<Backend<FileStore>> {
  const path = options.path ?? ":memory:";
  const store = await openStore({
    path,
    readOnly: options.readOnly ?? false,
    threads: options.threads ?? null,
    memoryLimit: options.memoryLimit ?? (path === ":memory:" ? null : "1GiB"),
    onWarning: options.onWarning,
  });
  const conventions = await settled(store, path, options);
  const memory = createWriterMemory(store.memoryBytes);
  const writers = createSessionWriters(store, conventions, memory);
  return {
    store,
    conventions,
    loader: openLoader({ store, conventions, memory, writers }, options),
    writers,
    keep: (work, signal) => store.read((session) => work(keptInFile(session, signal)), signal),
    parquet: parquetFiles(store),
    copied: null,
    statements: createStatements(createStatementRunner(store)),
    check: (signal) => checkDatabase(store, conventions, signal),
    measure: (signal) => measureFile(store, path, signal),
    backUp: (target) => backUp(store, target),
    maintain: () => Promise.resolve({ loads_removed: 0, records_removed: 0 }),
  };
}

interface OfFile {
  readonly store: FileStore;
  readonly conventions: Conventions;
  readonly memory: WriterMemory;
  readonly writers: Writers;
}

/** With one core, or one thread, everything is loaded on the main thread. */
function openLoader({ writers, ...file }: OfFile, options: EngineOptions): Loader {
  const inProcess = createLoader(writers, file.conventions);
  if (Math.min(options.threads ?? Infinity, availableParallelism()) < 2) return inProcess;
  const thread = createLoadThread(loadThreadCode, file.store);
  return chooseLoader(
    { thread, inThread: createThreadLoader({ ...file, thread }), inProcess, memory: file.memory },
    options.onWarning,
  );
}

async function settled(store: FileStore, path: string, options: EngineOptions): Promise<Conventions> {
  try {
    const conventions = await settleConventions(store, path, options);
    await readStoredSteps(store, path, conventions, options.readOnly ?? false);
    return conventions;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Copies the database to a path where no file exists. */
async function backUp(store: FileStore, target: string): Promise<void> {
  checkText("target", target);
  refuseTaken(target);
  await replaceFile(target, (temporary) => store.copy((pieces) => writeFileChunks(temporary, pieces)));
}
