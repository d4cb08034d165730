import { existsSync, statSync } from "node:fs";
import { access, constants, open, type FileHandle, link, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { StoreError } from "../../errors.ts";
import { fileFault } from "../../model/messages.ts";
import { createCheckpoints, NO_CHECKPOINTS, type Checkpoints } from "./checkpoints.ts";
import { isEmpty } from "../../flow/open-files.ts";
import { isDuckDB, openFormat, readPages } from "./format.ts";
import { changedElsewhere } from "./left-records.ts";
import { openInstance, type Instance } from "./instance.ts";
import { readMigrations, type Migration } from "../../store/migrations.ts";
import { connect, runMigration } from "./migrate.ts";
import { openRecovered } from "./recovery.ts";
import type { StoreOptions } from "./store-options.ts";
import { mendTrialIndex } from "./trial-index.ts";
import { passingPath, removeAbandoned } from "../../flow/passing-file.ts";
import { hasCode, syncFolder } from "./durable.ts";

/** An open database of the current format. */
export interface OpenDatabase {
  readonly instance: Instance;
  readonly checkpoints: Checkpoints;
  /**
   * The file, for reading beside DuckDB; null in memory. It is closed after DuckDB: once a process closes a file, it
   * loses all of its locks on that file.
   */
  readonly file: FileHandle | null;
  readonly close: () => Promise<void>;
}

type Config = Readonly<Record<string, string>>;

/** Keeps DuckDB from starting checkpoints of its own; see checkpoints.ts. */
const CHECKPOINTS_OFF: Config = { checkpoint_threshold: "1TB" };
const READ_ONLY: Config = { access_mode: "READ_ONLY" };

/**
 * Opens the database of these options; creates it, or migrates it by the files of a folder, if needed. Throws
 * `StoreError`.
 */
export async function openDatabase(
  options: StoreOptions,
  config: Config,
  migrations = "sql/duckdb/migrations",
): Promise<OpenDatabase> {
  const steps = readMigrations(migrations);
  if (options.path === ":memory:") return openInMemory(config, steps);
  if (isMissing(options)) await makeFile(options, config, steps);
  const file = await openForReading(options);
  try {
    return await openFile(options, config, steps, file);
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function openInMemory(config: Config, steps: readonly Migration[]): Promise<OpenDatabase> {
  const instance = await openInstance(":memory:", config);
  return closingOnError(instance, async () => {
    const connection = await connect(instance);
    await bringUpToDate(connection, ":memory:", steps, false);
    connection.closeSync();
    const close = () => Promise.resolve(instance.closeSync());
    return { instance, checkpoints: NO_CHECKPOINTS, file: null, close };
  });
}

function isMissing(options: StoreOptions): boolean {
  const { path, readOnly } = options;
  if (existsSync(path)) {
    if (!statSync(path).isFile())
      throw new StoreError("foreign_database", `${path}: not a file; name a file for the database`);
    if (!isEmpty(options)) return false;
  }
  if (readOnly)
    throw new StoreError(
      "no_database",
      `${path}: there is no database to read; load something first: evalcube ingest, or a program that opens it without readOnly`,
    );
  const folder = dirname(resolve(path));
  if (existsSync(folder)) return true;
  throw new StoreError("unusable_database", `${path}: there is no folder ${folder}; make it first`);
}

async function makeFile({ path }: StoreOptions, config: Config, steps: readonly Migration[]): Promise<void> {
  // What DuckDB says names the temporary file.
  await access(dirname(resolve(path)), constants.W_OK).catch((error: Error) => {
    const fault = `${path}: the file cannot be made: ${fileFault(error)}`;
    throw new StoreError("unusable_database", fault, { cause: error });
  });
  await createFile(path, async (temporary) => {
    const instance = await openInstance(temporary, { ...config, ...CHECKPOINTS_OFF });
    try {
      const connection = await connect(instance);
      await bringUpToDate(connection, path, steps, false);
      await connection.run("CHECKPOINT");
      connection.closeSync();
    } finally {
      instance.closeSync();
    }
  });
}

async function openForReading({ path, readOnly }: StoreOptions): Promise<FileHandle> {
  const file = await open(path, readOnly ? "r" : "r+").catch((error: Error) => {
    throw new StoreError("unusable_database", `${path}: the file cannot be opened: ${fileFault(error)}`, {
      cause: error,
    });
  });
  if (isDuckDB(await readPages(file))) return file;
  await file.close();
  throw new StoreError("foreign_database", `${path}: not a DuckDB database; choose another path`);
}

async function openFile(
  options: StoreOptions,
  config: Config,
  steps: readonly Migration[],
  file: FileHandle,
): Promise<OpenDatabase> {
  const { readOnly } = options;
  const all = { ...config, ...(readOnly ? READ_ONLY : CHECKPOINTS_OFF) };
  const { instance, pending } = await openRecovered(options, file, () => openFormat(options, all, steps));
  return closingOnError(instance, async () => {
    const checkpoints = readOnly ? NO_CHECKPOINTS : await startWriting(options, file, instance, pending);
    await warnOfChanges(options, instance);
    const close = async () => {
      instance.closeSync();
      await file.close();
    };
    return { instance, checkpoints, file, close };
  });
}

async function warnOfChanges({ path, onWarning }: StoreOptions, instance: Instance): Promise<void> {
  const connection = await instance.connect();
  const warning = await changedElsewhere(path, connection);
  connection.closeSync();
  if (warning !== null) onWarning?.(warning);
}

/** Writes a replayed log into the file before anything is added to it, then brings it up to date. */
async function startWriting(
  options: StoreOptions,
  file: FileHandle,
  instance: Instance,
  pending: readonly Migration[],
): Promise<Checkpoints> {
  const connection = await (pending.length > 0 ? connect(instance) : instance.connect());
  const checkpoints = createCheckpoints(options, file, connection);
  const hadLog = (await checkpoints.logBytes()) > 0;
  await checkpoints.run();
  await bringUpToDate(connection, options.path, pending, hadLog);
  await checkpoints.run();
  await checkpoints.vacuum();
  return checkpoints;
}

async function bringUpToDate(
  connection: DuckDBConnection,
  path: string,
  pending: readonly Migration[],
  hadLog: boolean,
): Promise<void> {
  for (const step of pending) await runMigration(path, connection, step, step === pending.at(-1));
  await mendTrialIndex(connection, hadLog);
}

async function closingOnError<T>(instance: Instance, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    instance.closeSync();
    throw error;
  }
}

/**
 * Creates a database under a temporary name and renames it when it is complete, so that nobody ever finds an incomplete
 * one. A file that another process put there meanwhile stays. `build` must leave no log behind.
 */
async function createFile(path: string, build: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = passingPath(dirname(resolve(path)));
  try {
    await build(temporary);
    await removeAbandoned(temporary);
    await giveName(temporary, path);
  } finally {
    await rm(temporary, { force: true });
    await rm(`${temporary}.wal`, { force: true });
  }
  await syncFolder(path);
}

async function giveName(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path);
  } catch (error) {
    if (hasCode(error, "EEXIST")) return;
    // The file system has no links.
    await rename(temporary, path);
  }
}
