import { link, open, readFile, rename } from "node:fs/promises";
import { orIfMissing, syncFolder } from "./durable.ts";

/** What was left out of a log, and where the log is kept as it was. */
export interface CutLog {
  readonly droppedBytes: number;
  readonly kept: string;
}

/** With this entry ends each transaction in a log of DuckDB 1.5: its length, its checksum, and the type of a commit. */
const COMMIT = Buffer.from("0500000000000000e7fe7d722fed3d5e640064ffff", "hex");
/** Length and checksum stand before an entry. */
const ENTRY_HEAD_BYTES = 16;

export function logPath(path: string): string {
  return `${path}.wal`;
}

/** Where the first damaged entry begins, by what DuckDB says on opening; null where it says something else. */
export function damagedEntry(message: string): number | null {
  const found = /Corrupt WAL file: entry at byte position (\d+)/.exec(message);
  return found === null ? null : Number(found[1]) - ENTRY_HEAD_BYTES;
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
