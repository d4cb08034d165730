import { link, open, readFile, rename } from "node:fs/promises";
import { StoreError } from "../../errors.ts";
import { orIfMissing, syncFolder } from "./durable.ts";

/** Number of bytes left out of a log, and the path of the original log. */
interface CutLog {
  readonly droppedBytes: number;
  readonly kept: string;
}

/** The last entry of each transaction in a log of DuckDB 1.5: its length, its checksum, and the type of a commit. */
const COMMIT = Buffer.from("0500000000000000e7fe7d722fed3d5e640064ffff", "hex");
/** The first member of the first entry, which marks the file as a log. */
const LOG_START = Buffer.from("640062", "hex");
/** Length and checksum precede each entry. */
const ENTRY_HEAD_BYTES = 16;

export function logPath(path: string): string {
  return `${path}.wal`;
}

/** Thrown when the log has a damaged entry. */
export class DamagedLog extends StoreError {
  /** Byte position where the first damaged entry begins. */
  readonly entry: number;

  constructor(path: string, entry: number, cause: unknown) {
    const advice = `its log (${logPath(path)}) is damaged at byte ${entry}`;
    super("damaged_database", `${path}: ${advice}, and both stay as they are; restore a backup`, { cause });
    this.entry = entry;
  }
}

/** Recognises a damaged log in DuckDB's error on opening; null for any other error. */
export function damagedLog(path: string, error: unknown): DamagedLog | null {
  const message = error instanceof Error ? error.message : String(error);
  const found = /Corrupt WAL file: entry at byte position (\d+)/.exec(message);
  return found === null ? null : new DamagedLog(path, Number(found[1]) - ENTRY_HEAD_BYTES, error);
}

/** Throws `DamagedLog` if a log does not begin as DuckDB's logs do: DuckDB would silently leave out all of it. */
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
 * on the disk, and the next one begins after that; so a power cut leaves only the last transaction incomplete.
 */
function isLastTransaction(log: Buffer, damage: number): boolean {
  const commit = log.indexOf(COMMIT, damage);
  return commit === -1 || commit + COMMIT.length === log.length;
}

/**
 * Cuts the log durably before the damaged entry, and keeps the original log beside it. Returns null and changes nothing
 * if there is nothing to cut, or if whole transactions follow the damage.
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
  // Gives the whole log a second name before the shortened log takes its place.
  await link(logPath(path), kept);
  await rename(shortened, logPath(path));
  await syncFolder(path);
  return { droppedBytes: log.length - damage, kept };
}
