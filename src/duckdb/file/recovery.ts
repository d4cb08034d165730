import { rm, stat, type FileHandle } from "node:fs/promises";
import { StoreError } from "../../errors.ts";
import { checkLogStart, cutLog, DamagedLog, logPath } from "./damaged-log.ts";
import { orIfMissing } from "./durable.ts";
import { openInstance, type Instance } from "./instance.ts";
import { dropSavedBlocks, putBack, readSavedBlocks, tornPieces, type SavedBlocks } from "./saved-blocks.ts";
import type { StoreOptions } from "./store-options.ts";

/** Files that a stopped process left beside a database. */
interface Remains {
  readonly blocks: SavedBlocks | null;
  /** Distinguishes one log from the next; null where there is none. */
  readonly log: string | null;
}

const MOST_ATTEMPTS = 3;

/**
 * Opens a database. If the process or the machine stopped while the database was written, repairs it and tries again;
 * for a reader, throws `needs_recovery` instead of repairing.
 */
export async function openRecovered<T>(
  { path, readOnly, onWarning }: StoreOptions,
  database: FileHandle,
  open: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const remains = await readRemains(path);
    try {
      await checkLogStart(path);
      const opened = await open();
      if (!readOnly) await settle(path, database, remains);
      return opened;
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== "damaged_database" || attempt === MOST_ATTEMPTS)
        throw error;
      if (!(await canBeMended(database, remains, error))) throw error;
      if (readOnly) throw needsRecovery(path, error);
      await alone(path, () => mend(path, database, remains, error, onWarning));
    }
  }
}

/** Clears the files that a stopped process left beside a database that is now open for writing. */
async function settle(path: string, database: FileHandle, { blocks }: Remains): Promise<void> {
  if (blocks === null) await dropSavedBlocks(path);
  else await alone(path, () => restoreBlocks(path, database, blocks));
}

async function readRemains(path: string): Promise<Remains> {
  const log = await orIfMissing(stat(logPath(path)), null);
  return {
    blocks: await readSavedBlocks(path),
    log: log === null ? null : `${log.ino} ${log.size} ${log.mtimeMs}`,
  };
}

async function canBeMended(database: FileHandle, { blocks }: Remains, error: StoreError): Promise<boolean> {
  if (error instanceof DamagedLog) return true;
  return blocks !== null && (await tornPieces(database, blocks)).length > 0;
}

async function mend(
  path: string,
  database: FileHandle,
  before: Remains,
  error: StoreError,
  onWarning: StoreOptions["onWarning"],
): Promise<void> {
  if (!(error instanceof DamagedLog)) return restoreBlocks(path, database, before.blocks);
  // Another process may have done this first.
  if ((await readRemains(path)).log !== before.log) return;
  const cut = await cutLog(path, error.entry, new Date());
  if (cut === null) throw error;
  onWarning?.({
    code: "log_cut",
    message: `${path}: the last transaction was not written as a whole; its ${cut.droppedBytes} bytes were left out, and the log as it was is ${cut.kept}`,
  });
}

/** Puts back the pieces that an unfinished checkpoint tore, and drops the copies. */
async function restoreBlocks(path: string, database: FileHandle, blocks: SavedBlocks | null): Promise<void> {
  // Another process may have done this first.
  if (blocks === null || (await readSavedBlocks(path))?.id !== blocks.id) return;
  await putBack(database, await tornPieces(database, blocks));
  await dropSavedBlocks(path);
}

/**
 * Lets one process at a time repair a database: DuckDB's lock on a separate file ends with the process that holds it.
 */
async function alone(path: string, work: () => Promise<void>): Promise<void> {
  const name = `${path}.recovery`;
  const lock = await openLock(path, name).catch(async (error: unknown) => {
    if (!(error instanceof StoreError) || error.code === "locked_database") throw error;
    // A power cut left an incomplete lock file that no process holds.
    await removeLock(name);
    return openLock(path, name);
  });
  try {
    await work();
  } finally {
    lock.closeSync();
    await removeLock(name);
  }
}

async function openLock(path: string, name: string): Promise<Instance> {
  try {
    return await openInstance(name, {});
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "locked_database") throw error;
    const message = `${path}: another process is recovering the database; try again`;
    throw new StoreError("locked_database", message, { cause: error });
  }
}

async function removeLock(name: string): Promise<void> {
  await rm(name, { force: true });
  await rm(`${name}.wal`, { force: true });
}

function needsRecovery(path: string, cause: StoreError): StoreError {
  return new StoreError(
    "needs_recovery",
    `${path}: a process or the machine stopped while it wrote here; open it once without readOnly to recover it`,
    { cause },
  );
}
