import { link, open, readFile, rename } from "node:fs/promises";
import { StoreError } from "../../../errors.ts";
import { orIfMissing, syncFolder } from "./durable.ts";

/** What was left out of a log, and where the log is kept as it was. */
interface CutLog {
  readonly droppedBytes: number;
  readonly kept: string;
}

/** With this entry ends each transaction in a log of DuckDB 1.5: its length, its checksum, and the type of a commit. */
const COMMIT = Buffer.from("0500000000000000e7fe7d722fed3d5e640064ffff", "hex");
/** The first member of the first entry says that it is a log. */
const LOG_START = Buffer.from("640062", "hex");
/** Length and checksum stand before an entry. */
const ENTRY_HEAD_BYTES = 16;

export function logPath(path: string): string {
  return `${path}.wal`;
}

/** The log has an entry that is not as it was written. */
export class DamagedLog extends StoreError {
  /** Where the first such entry begins. */
  readonly entry: number;

  constructor(path: string, entry: number, cause: unknown) {
    const advice = `its log (${logPath(path)}) is damaged at byte ${entry}`;
    super("damaged_database", `${path}: ${advice}, and both stay as they are; restore a backup`, { cause });
    this.entry = entry;
  }
}

/** The damage that DuckDB tells of on opening; null where it tells of something else. */
export function damagedLog(path: string, error: unknown): DamagedLog | null {
  const message = error instanceof Error ? error.message : String(error);
  const found = /Corrupt WAL file: entry at byte position (\d+)/.exec(message);
  return found === null ? null : new DamagedLog(path, Number(found[1]) - ENTRY_HEAD_BYTES, error);
}

/** Throws where a log does not begin as DuckDB's do: DuckDB would leave out all of it without a word. */
export async function checkLogStart(path: string): Promise<void> {
  const log = await orIfMissing(open(logPath(path), "r"), null);
  if (log === null) return;
  try {
    const { bytesRead, buffer } = await log.read(Buffer.alloc(LOG_START.length), 0, LOG_START.length, 0);
    if (bytesRead > 0 && !buffer.equals(LOG_START)) throw new DamagedLog(path, 0, null);
  } finally {
    await log.close();
  }
}

/**
 * Whether everything from the damaged entry on belongs to one transaction. A commit is acknowledged when all of it is
 * on the disk, and the next begins after that; so a power cut leaves the last one alone in part.
 */
function isLastTransaction(log: Buffer, damage: number): boolean {
  const commit = log.indexOf(COMMIT, damage);
  return commit === -1 || commit + COMMIT.length === log.length;
}

/**
 * Cuts the log before the damaged entry, durably; what was there is kept beside it. Null, and nothing changed, where
 * whole transactions follow the damage.
 */
export async function cutLog(path: string, damage: number, now: Date): Promise<CutLog | null> {
  const log = await orIfMissing(readFile(logPath(path)), null);
  if (log === null || damage >= log.length || !isLastTransaction(log, damage)) return null;
  const kept = `${logPath(path)}.damaged-${now.toISOString().replaceAll(/[-:.]/g, "")}`;
  const shortened = `${logPath(path)}.tmp`;
  const file = await open(shortened, "w");
  try {
    await file.writeFile(log.subarray(0, damage));
    await file.sync();
  } finally {
    await file.close();
  }
  // A name more for the whole log before the shortened one takes its place.
  await link(logPath(path), kept);
  await rename(shortened, logPath(path));
  await syncFolder(path);
  return { droppedBytes: log.length - damage, kept };
}
