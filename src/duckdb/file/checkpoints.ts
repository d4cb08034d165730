import { stat, statfs, type FileHandle } from "node:fs/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import { StoreError } from "../../errors.ts";
import { logPath } from "./damaged-log.ts";
import { orIfMissing, syncFolder } from "./durable.ts";
import { dropSavedBlocks, saveBlocks } from "./saved-blocks.ts";
import { moveForward, usedOfSparse } from "./free-blocks.ts";
import { openThreadLimit } from "./thread-limit.ts";
import { areTrialsSparse, vacuumTrials } from "./trial-index.ts";
import type { StoreWarning } from "../../store/warning.ts";
import { memoryBytes, type StoreOptions } from "./store-options.ts";

/** A log that reaches this size is written into the database file. */
const LOG_BYTES = 16 * 2 ** 20;
/**
 * Until then DuckDB holds what the log has, about twice as large, so that a small limit must leave room for the rest.
 */
const LOG_PART_OF_MEMORY = 1 / 8;
/**
 * A checkpoint that finds the disk full ends the use of the database, so checkpoints wait while less than this is free.
 */
const LEAST_FREE_BYTES = 64 * 2 ** 20;
/** A change also rewrites the data around it, so a checkpoint may need this many bytes per byte of the log. */
const FREE_PER_LOG_BYTE = 2;

/** Setting the limit, even to what it is, makes DuckDB tell malloc to give back what it freed. */
const GIVE_BACK = "SET GLOBAL memory_limit = current_setting('memory_limit')";

/** Writes the log into the database file at moments that evalcube chooses: DuckDB's own checkpoints are off. */
export interface Checkpoints {
  /** Throws `file_lost` where the file is no longer under its name: what is written would be lost with it. */
  readonly checkFile: () => Promise<void>;
  /** Makes the name of the log durable; must be awaited before a commit is acknowledged. */
  readonly committed: () => Promise<void>;
  /** Runs a checkpoint if the log has reached {@link dueBytes}. No transaction may be writing. */
  readonly runIfDue: () => Promise<void>;
  /**
   * Like `runIfDue`, if what the log has beyond `before`, in bytes, makes the checkpoint due by itself. So a load that
   * fills the log waits for its own checkpoint, and the small one that comes next does not: a call after 20,000 trials
   * was stored after 12 to 24 ms instead of 200 to 500, on two cores.
   */
  readonly runIfFilled: (before: number) => Promise<void>;
  /** The size of the log in bytes. */
  readonly logBytes: () => Promise<number>;
  /** Runs a checkpoint if there is a log. No transaction may be writing. */
  readonly run: () => Promise<void>;
  /**
   * Gives up the space of deleted trials, once after each checkpoint where that is much. No transaction may be under
   * way.
   */
  readonly vacuum: () => Promise<void>;
  /** Keeps the file at its latest checkpoint until the returned function is called; the log grows meanwhile. */
  readonly hold: () => () => void;
}

/** For a database without checkpoints: in memory, or opened for reading. */
export const NO_CHECKPOINTS: Checkpoints = {
  checkFile: () => Promise.resolve(),
  committed: () => Promise.resolve(),
  runIfDue: () => Promise.resolve(),
  runIfFilled: () => Promise.resolve(),
  logBytes: () => Promise.resolve(0),
  run: () => Promise.resolve(),
  vacuum: () => Promise.resolve(),
  hold: () => () => undefined,
};

/** Creates the checkpoints of an open file. `connection` must be used for nothing else meanwhile. */
export function createCheckpoints(
  options: StoreOptions,
  database: FileHandle,
  connection: DuckDBConnection,
): Checkpoints {
  const { path } = options;
  const due = dueBytes(options);
  let isLogNamed = false;
  const holders = createHolders();
  const { isLost, checkFile } = lossWatch(options, database);
  const unlessHeld = async (work: () => Promise<void>): Promise<void> => {
    if (holders.count() > 0 || (await isLost())) return;
    await work().catch((error: unknown) => options.onWarning?.(checkpointFailed(path, error)));
  };
  const write = () => checkpoint(path, database, connection);
  const vacuum = onceAllowed(() => giveUpSpace(path, connection, write));
  const runFrom = (least: number): Promise<void> =>
    unlessHeld(async () => {
      const size = await logSize(path);
      if (size < least) return;
      await checkFreeSpace(path, FREE_PER_LOG_BYTE * size).then(write);
      isLogNamed = false;
      vacuum.allow();
    });

  return {
    checkFile,
    committed: async () => {
      if (isLogNamed || (await logSize(path)) === 0) return;
      await syncFolder(path);
      isLogNamed = true;
    },
    runIfDue: () => runFrom(due),
    runIfFilled: (before) => runFrom(before + due),
    logBytes: () => logSize(path),
    run: () => runFrom(1),
    vacuum: () => unlessHeld(vacuum.run),
    hold: holders.add,
  };
}

function createHolders() {
  let count = 0;
  const add = () => {
    count++;
    return () => void count--;
  };
  return { add, count: () => count };
}

/** Whether the file was deleted or moved since it was opened; warns of it once. */
function lossWatch({ path, onWarning }: StoreOptions, database: FileHandle) {
  let known = false;
  const isLost = async (): Promise<boolean> => {
    if (known) return true;
    known = (await database.stat()).nlink === 0 || (await orIfMissing(stat(path), null)) === null;
    if (known) onWarning?.({ code: "file_lost", message: lossOf(path) });
    return known;
  };
  const checkFile = async (): Promise<void> => {
    if (await isLost()) throw new StoreError("file_lost", lossOf(path));
  };
  return { isLost, checkFile };
}

function lossOf(path: string): string {
  return (
    `${path}: the file was deleted or moved while it was open. Nothing more is stored; what was stored can be read, exported and ` +
    "backed up until it is closed."
  );
}

/** Runs the work once each time after `allow`, and once before. */
function onceAllowed(work: () => Promise<void>) {
  let isAllowed = true;
  return {
    allow: () => {
      isAllowed = true;
    },
    run: async () => {
      const isFirst = isAllowed;
      isAllowed = false;
      if (isFirst) await work();
    },
  };
}

/** What is left of the trials is written anew, so at most as much as the file has. */
async function giveUpSpace(
  path: string,
  connection: DuckDBConnection,
  write: () => Promise<void>,
): Promise<void> {
  const isSparse = await areTrialsSparse(connection);
  if (isSparse) {
    await checkFreeSpace(path, (await stat(path)).size);
    await vacuumTrials(connection, write);
  }
  const used = await usedOfSparse(connection);
  if (used !== null) await moveForward(connection, used, write);
}

function checkpointFailed(path: string, error: unknown): StoreWarning {
  const reason = error instanceof Error ? error.message : String(error);
  const message = `${path}: the log could not be written into the database, and stays beside it: ${reason}`;
  return { code: "checkpoint_failed", message };
}

async function checkpoint(path: string, database: FileHandle, connection: DuckDBConnection): Promise<void> {
  await saveBlocks(path, database, await metadataBlocks(connection));
  const limit = await openThreadLimit(connection);
  const lift = await limit();
  await connection.run("CHECKPOINT").finally(lift);
  await connection.run(GIVE_BACK);
  await dropSavedBlocks(path);
}

/** The size of a log that makes a checkpoint due. */
function dueBytes({ memoryLimit }: StoreOptions): number {
  return Math.min(LOG_BYTES, memoryLimit === null ? Infinity : memoryBytes(memoryLimit) * LOG_PART_OF_MEMORY);
}

export async function logSize(path: string): Promise<number> {
  return (await orIfMissing(stat(logPath(path)), null))?.size ?? 0;
}

/** Throws unless the disk has so many bytes left, and {@link LEAST_FREE_BYTES} more. */
async function checkFreeSpace(path: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(path);
  const needed = LEAST_FREE_BYTES + bytes;
  if (bavail * bsize >= needed) return;
  throw new Error(`the disk has ${bavail * bsize} bytes left, and a checkpoint may need ${needed}`);
}

/** Blocks that are not on the disk yet are left out: they have nothing to save. */
async function metadataBlocks(connection: DuckDBConnection): Promise<number[]> {
  const found = await connection.runAndReadAll(
    `SELECT block_id::DOUBLE FROM pragma_metadata_info() WHERE block_id < 4611686018427388000 ORDER BY ALL`,
  );
  return found.getRows().map(([id]) => Number(id));
}
