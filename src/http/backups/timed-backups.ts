import { mkdir, readdir, rm } from "node:fs/promises";
import path from "node:path";
import type { Logger } from "pino";

/** Backups that a service makes by itself. */
export interface BackupOptions {
  /** Where they are; made where it is missing. */
  readonly folder: string;
  /** From the begin of one to the begin of the next, in milliseconds; at least 1000. */
  readonly everyMs: number;
  /** How many stay: the latest. */
  readonly keep: number;
  /** What their names begin with, before `-2026-11-28T16-33-20Z.duckdb`. Default `evalcube`. */
  readonly name?: string | undefined;
}

/** What is known of the backups. Times are ISO 8601 in UTC, to the second. */
export interface BackupState {
  /** When the latest one began that is there; null without any. */
  readonly last_at: string | null;
  /** Its name in the folder. */
  readonly last_file: string | null;
  /** When the next one begins. */
  readonly next_at: string | null;
  /** Why the last attempt failed; null where it did not. */
  readonly error: string | null;
}

interface TimedBackups {
  readonly state: () => BackupState;
  /** Begins none from now on; resolves when the one under way has ended. */
  readonly close: () => Promise<void>;
}

/** A longer time is no time for a timer of Node. */
const LONGEST_MS = 2 ** 31 - 1;
const NAME = "evalcube";

/**
 * Makes a backup when the latest in the folder is old enough, and again each time that `everyMs` has passed; an attempt
 * that fails is logged, and the next one comes at its time. Its timer holds no process.
 */
export function startBackups(backup: MakeBackup, options: BackupOptions, logger: BackupLog): TimedBackups {
  const { folder, everyMs, name = NAME } = options;
  let state: BackupState = { last_at: null, last_file: null, next_at: null, error: null };
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const due = (at: number) => {
    if (isClosed) return;
    state = { ...state, next_at: timeText(at) };
    const left = at - Date.now();
    const next = left > LONGEST_MS ? () => due(at) : () => void (running = attempt());
    timer = setTimeout(next, Math.min(Math.max(left, 0), LONGEST_MS)).unref();
  };
  const attempt = async () => {
    const began = Date.now();
    state = { ...state, next_at: timeText(began + everyMs) };
    state = { ...state, ...(await makeOne(backup, options, began, logger)) };
    due(began + everyMs);
  };
  const begin = async () => {
    const last_file = (await ownFiles(folder, name, Date.now()).catch(() => [])).at(-1) ?? null;
    const last_at = last_file === null ? null : timeOf(last_file, name);
    state = { ...state, last_at, last_file };
    due(last_at === null ? Date.now() : Date.parse(last_at) + everyMs);
  };
  let running: Promise<void> = begin();
  return {
    state: () => state,
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await running;
    },
  };
}

type MakeBackup = (file: string) => Promise<void>;
type BackupLog = Pick<Logger, "info" | "error"> | undefined;

/** Makes a backup, then removes those that are too many; gives what is known then. */
async function makeOne(
  backup: MakeBackup,
  { folder, keep, name = NAME }: BackupOptions,
  began: number,
  logger: BackupLog,
): Promise<Partial<BackupState>> {
  const last_file = `${name}-${timeText(began).replaceAll(":", "-")}.duckdb`;
  const made = { last_at: timeText(began), last_file, error: null };
  const failed = (cause: unknown, what: string) => {
    const error = cause instanceof Error ? cause.message : String(cause);
    logger?.error({ error }, what);
    return { error };
  };
  try {
    await mkdir(folder, { recursive: true });
    await backup(path.join(folder, last_file));
    logger?.info({ file: last_file }, "backup made");
  } catch (error) {
    return failed(error, "no backup was made");
  }
  try {
    const old = (await ownFiles(folder, name, began)).slice(0, -keep);
    const cleared = await Promise.allSettled(old.map((file) => rm(path.join(folder, file))));
    for (const one of cleared) if (one.status === "rejected") throw one.reason;
    return made;
  } catch (error) {
    return { ...made, ...failed(error, "an old backup was not removed") };
  }
}

/**
 * The backups of this name, the latest last. One dated after `now` is of a clock that was ahead, and would else take
 * the place of those that are made.
 */
async function ownFiles(folder: string, name: string, now: number): Promise<string[]> {
  const files = await readdir(folder, { withFileTypes: true });
  const isOwn = (at: string | null) => at !== null && Date.parse(at) <= now;
  const own = files.filter((file) => file.isFile() && isOwn(timeOf(file.name, name)));
  return own.map((file) => file.name).toSorted();
}

/** The time in the name of a backup; null for any other name. */
function timeOf(file: string, name: string): string | null {
  if (!file.startsWith(`${name}-`)) return null;
  const found = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\dZ)\.duckdb$/.exec(file.slice(name.length + 1));
  const time = found?.slice(1).join(":") ?? "";
  return Number.isNaN(Date.parse(time)) ? null : time;
}

/** `2026-11-28T16:33:20Z`. */
function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}
