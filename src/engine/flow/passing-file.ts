import { createHash, randomUUID } from "node:crypto";
import { readFileSync, readlinkSync, type Stats } from "node:fs";
import { lstat, open, readdir, rm, type FileHandle } from "node:fs/promises";
import path from "node:path";

/** A process whose name cannot be looked up from here is taken to be gone after so long without a write. */
const LONGEST_SILENCE_MS = 7 * 24 * 60 * 60 * 1000;

/** The scope, number and start of a process, where they are known, and what makes the name unique. */
const NAME =
  /^\.evalcube-(?:([0-9a-f]{16})-(\d+)-(\d+)-)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp(?:\.wal)?$/;

/**
 * Makes an empty file to be renamed or removed soon, with the mode and owner of the file that it is to replace, and
 * removes what processes have left beside it which are gone. Its name says whose it is.
 */
export async function makePassingFile(folder: string, mode: number, replaced: Stats | null): Promise<string> {
  const file = passingPath(folder);
  const handle = await open(file, "wx", mode);
  try {
    if (replaced !== null) await resemble(handle, replaced);
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  await removeAbandoned(file);
  return file;
}

/** Where to make a file that is to be renamed or removed soon. Its name says whose it is. */
export function passingPath(folder: string): string {
  return path.join(folder, passingName());
}

async function resemble(file: FileHandle, { uid, gid, mode }: Stats): Promise<void> {
  // Only the superuser gives files away.
  await file.chown(uid, gid).catch(() => undefined);
  await file.chmod(mode);
}

/** Without a scope where processes cannot be told apart. */
function passingName(): string {
  const scope = readScope();
  const start = scope === null ? null : readProcess(process.pid)?.start;
  const owner = start == null ? "" : `${scope}-${process.pid}-${start}-`;
  return `.evalcube-${owner}${randomUUID()}.tmp`;
}

/** Removes what processes have left beside such a file which are gone. What cannot be removed now waits for the next one. */
export async function removeAbandoned(own: string): Promise<void> {
  await removeFrom(path.dirname(own), own).catch(() => undefined);
}

async function removeFrom(folder: string, own: string): Promise<void> {
  const scope = readScope();
  // By the clock of the file system, which may be on another machine.
  const { mtimeMs: now } = await lstat(own);
  for (const name of await readdir(folder)) {
    const parts = NAME.exec(name);
    if (parts === null) continue;
    const file = path.join(folder, name);
    const found = await lstat(file).catch(() => null);
    if (found?.isFile() !== true) continue;
    const [, ofScope, pid, start] = parts;
    const isKnown = scope !== null && ofScope === scope && pid !== undefined && start !== undefined;
    const isGone = isKnown ? !isRunning(Number(pid), start) : now - found.mtimeMs > LONGEST_SILENCE_MS;
    if (isGone) await rm(file, { force: true }).catch(() => undefined);
  }
}

/**
 * Tells apart where numbers of processes mean different ones: machines, their starts, containers. Null where the
 * system does not say it, or shows the processes of another container.
 */
function readScope(): string | null {
  try {
    if (readlinkSync("/proc/self") !== String(process.pid)) return null;
    const parts = [
      readFileSync("/proc/sys/kernel/random/boot_id", "utf8"),
      readlinkSync("/proc/self/ns/pid"),
    ];
    return createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 16);
  } catch {
    return null;
  }
}

/** Whether the process that began then is still there; a later one may have its number. */
function isRunning(pid: number, start: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
  }
  const found = readProcess(pid);
  return found === null || (found.start === start && !found.hasEnded);
}

/** Null where it may not be seen. `start` counts from that of the machine. */
function readProcess(pid: number): { readonly start: string; readonly hasEnded: boolean } | null {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program, in parentheses, may hold blanks.
    const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
    const [state, start] = [fields[0] ?? "", fields[19]];
    return start === undefined ? null : { start, hasEnded: /^[ZX]/.test(state) };
  } catch {
    return null;
  }
}
