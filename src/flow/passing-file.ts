import { createHash, randomUUID } from "node:crypto";
import { existsSync, readFileSync, readlinkSync, type Stats } from "node:fs";
import { lstat, open, readdir, rm, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { EvalcubeError } from "../errors.ts";

/** The owner of a file that cannot be looked up from here counts as ended after this long without a write. */
const LONGEST_SILENCE_MS = 7 * 24 * 60 * 60 * 1000;

/** What `ownerName` gives: the scope, id and start of a process. */
export const OWNER = String.raw`[0-9a-f]{16}-\d+-\d+`;

/** The name holds the process, if it is known, and a UUID that makes it unique. */
const NAME = new RegExp(
  String.raw`^\.evalcube-(?:(${OWNER})-)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp(?:\.wal)?$`,
);

/**
 * Creates an empty file to be renamed or removed soon, with the mode and owner of the file that it will replace, and
 * removes the files that ended processes left beside it. Its name identifies its process.
 */
export async function makePassingFile(folder: string, mode: number, replaced: Stats | null): Promise<string> {
  const file = passingPath(folder);
  const handle = await open(file, "wx", mode);
  try {
    if (replaced !== null) await resemble(handle, replaced).finally(() => handle.close());
    else await handle.close();
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
  await removeAbandoned(file);
  return file;
}

/** Returns a path for a file that will be renamed or removed soon. Its name identifies its process. */
export function passingPath(folder: string): string {
  return path.join(folder, passingName());
}

/** Refuses a name for a new database that is taken; DuckDB would take a log beside it for its own. */
export function refuseTaken(target: string): void {
  const taken = [target, `${target}.wal`].find((file) => existsSync(file));
  if (taken === undefined) return;
  const message = `${taken}: there is a file already; choose another name, or remove it`;
  throw new EvalcubeError("unwritable_target", message);
}

async function resemble(file: FileHandle, { uid, gid, mode }: Stats): Promise<void> {
  // Only the superuser may give files away.
  await file.chown(uid, gid).catch(() => undefined);
  await file.chmod(mode);
}

/** The name lacks the owner where processes cannot be told apart. */
function passingName(): string {
  const owner = ownerName();
  return `.evalcube-${owner === "" ? "" : `${owner}-`}${randomUUID()}.tmp`;
}

/** Identifies this process among all; empty where processes cannot be told apart. */
export function ownerName(): string {
  const scope = readScope();
  const start = scope === null ? null : readProcess(process.pid)?.start;
  return start == null ? "" : `${scope}-${process.pid}-${start}`;
}

/** Whether the process of this name has ended; of one that cannot be looked up from here its silence tells. */
export function hasEnded(owner: string | undefined, silenceMs: number): boolean {
  const [ofScope, pid, start] = owner?.split("-") ?? [];
  const isKnown =
    ofScope !== undefined && ofScope === readScope() && pid !== undefined && start !== undefined;
  return isKnown ? !isRunning(Number(pid), start) : silenceMs > LONGEST_SILENCE_MS;
}

/**
 * Removes the files that ended processes left beside such a file. A file that cannot be removed now is left to the next
 * call.
 */
export async function removeAbandoned(own: string): Promise<void> {
  await removeFrom(path.dirname(own), own).catch(() => undefined);
}

async function removeFrom(folder: string, own: string): Promise<void> {
  // The current time by the clock of the file system, which may be on another machine.
  const { mtimeMs: now } = await lstat(own);
  for (const name of await readdir(folder)) {
    const parts = NAME.exec(name);
    if (parts === null) continue;
    const file = path.join(folder, name);
    const found = await lstat(file).catch(() => null);
    if (found?.isFile() !== true) continue;
    if (hasEnded(parts[1], now - found.mtimeMs)) await rm(file, { force: true }).catch(() => undefined);
  }
}

/**
 * Identifies the system in which a process id is unique: the machine, its boot, the container. Null where the system
 * does not report it, or shows the processes of another container.
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

/** Whether the process that began at `start` still runs; a later process may have the same id. */
function isRunning(pid: number, start: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
  }
  const found = readProcess(pid);
  return found === null || (found.start === start && !found.hasEnded);
}

/** Reads a process; null where it cannot be seen. `start` counts from the boot of the machine. */
function readProcess(pid: number): { readonly start: string; readonly hasEnded: boolean } | null {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The program name, in parentheses, may contain spaces.
    const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
    const [state, start] = [fields[0] ?? "", fields[19]];
    return start === undefined ? null : { start, hasEnded: /^[ZX]/.test(state) };
  } catch {
    return null;
  }
}
