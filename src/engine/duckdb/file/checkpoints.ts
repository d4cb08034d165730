import { stat, statfs, type FileHandle } from "node:fs/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import { logPath } from "./damaged-log.ts";
import { orIfMissing, syncFolder } from "./durable.ts";
import { dropSavedBlocks, saveBlocks } from "./saved-blocks.ts";
import type { StoreOptions } from "./store-options.ts";

/** A log of this size is written into the database file. */
const LOG_BYTES = 16 * 2 ** 20;
/** A checkpoint that finds the disk full ends the use of the database, so it is put off where less is free. */
const LEAST_FREE_BYTES = 64 * 2 ** 20;
/** A change rewrites what lies around it, too. */
const FREE_PER_LOG_BYTE = 2;

/** Writes the log into the database file, at moments of our choice: DuckDB's own checkpoints are off. */
export interface Checkpoints {
  /** To be awaited before a commit is acknowledged. */
  readonly committed: () => Promise<void>;
  /** Runs a checkpoint if the log has grown. No transaction may be writing. */
  readonly runIfDue: () => Promise<void>;
  /** Runs a checkpoint if there is a log. No transaction may be writing. */
  readonly run: () => Promise<void>;
  /** Keeps the file at the checkpoint that it has reached until the function returned is called; the log grows meanwhile. */
  readonly hold: () => () => void;
}

/** For a database that has no log: in memory, or opened for reading. */
export const NO_CHECKPOINTS: Checkpoints = {
  committed: () => Promise.resolve(),
  runIfDue: () => Promise.resolve(),
  run: () => Promise.resolve(),
  hold: () => () => undefined,
};

/** `connection` is for this alone. */
export function createCheckpoints(
  { path, onWarning }: StoreOptions,
  database: FileHandle,
  connection: DuckDBConnection,
): Checkpoints {
  let isLogNamed = false;
  let holders = 0;

  const runFrom = async (least: number): Promise<void> => {
    if (holders > 0) return;
    try {
      const size = await logSize(path);
      if (size < least) return;
      await checkFreeSpace(path, size);
      await saveBlocks(path, database, await metadataBlocks(connection));
      await connection.run("CHECKPOINT");
      await dropSavedBlocks(path);
      isLogNamed = false;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const message = `${path}: the log could not be written into the database, and stays beside it: ${reason}`;
      onWarning?.({ code: "checkpoint_failed", message });
    }
  };

  return {
    committed: async () => {
      if (isLogNamed || (await logSize(path)) === 0) return;
      await syncFolder(path);
      isLogNamed = true;
    },
    runIfDue: () => runFrom(LOG_BYTES),
    run: () => runFrom(1),
    hold: () => {
      holders++;
      return () => void holders--;
    },
  };
}

export async function logSize(path: string): Promise<number> {
  return (await orIfMissing(stat(logPath(path)), null))?.size ?? 0;
}

async function checkFreeSpace(path: string, logBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(path);
  const needed = LEAST_FREE_BYTES + FREE_PER_LOG_BYTE * logBytes;
  if (bavail * bsize >= needed) return;
  throw new Error(`the disk has ${bavail * bsize} bytes left, and a checkpoint may need ${needed}`);
}

/** Of blocks that are not on the disk yet there is nothing to save. */
async function metadataBlocks(connection: DuckDBConnection): Promise<number[]> {
  const found = await connection.runAndReadAll(
    `SELECT block_id::DOUBLE FROM pragma_metadata_info() WHERE block_id < 4611686018427388000 ORDER BY ALL`,
  );
  return found.getRows().map(([id]) => Number(id));
}
