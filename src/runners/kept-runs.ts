import { existsSync } from "node:fs";
import { lstat, open, readdir, rm } from "node:fs/promises";
import path from "node:path";
import { StoreError } from "../errors.ts";
import { openPatiently } from "../engine/open-backend.ts";
import { hasEnded, ownerName, OWNER } from "../flow/passing-file.ts";
import { at, type Json } from "../model/json.ts";
import { completeSync, FILE_END, PARCEL_END } from "./spill.ts";

/** What loading needs of an engine that is open for writing. */
interface Writable {
  readonly ingestCalls: (source: string) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

/** A file of a run that is not in the database. */
export interface UnloadedRun {
  readonly file: string;
  /** Null where the file does not tell. */
  readonly project: string | null;
  readonly reason: string;
}

interface KeptRun {
  readonly file: string;
  readonly project: string | null;
  /** Why it cannot be loaded; null where it can. */
  readonly fault: string | null;
}

/** So long another process may have the database. */
const BUSY_MS = 1000;
/** The first line of a file holds the start of an evaluation, with its attributes. */
const MOST_FIRST_LINE = 4 * 1024 * 1024;

/** The name of the file beside a database in which a runner keeps a run; `n` tells several of one run apart. */
export function keptName(db: string, run: string, n = 1): string {
  return `${db}.${run.replace(/[^\w.-]/g, "-")}${n === 1 ? "" : `.${n}`}.ndjson`;
}

/**
 * Loads the runs that runners kept beside a database, each as a whole or not at all, and removes their files. What a
 * killed runner left is loaded as far as it was written; what a runner still writes is not. A run that was loaded
 * before, by a process that was killed before it removed the file, is stored once. `openToWrite` opens the database.
 */
export async function loadKeptRuns(
  db: string,
  openToWrite: () => Promise<Writable>,
): Promise<{ readonly loaded: readonly string[]; readonly left: readonly UnloadedRun[] }> {
  const found = await findKeptRuns(db);
  const ready = found.filter(({ fault }) => fault === null);
  const left: UnloadedRun[] = found.flatMap(({ file, project, fault }) =>
    fault === null ? [] : [{ file, project, reason: fault }],
  );
  if (ready.length === 0) return { loaded: [], left };
  let engine: Writable;
  try {
    engine = await openPatiently(openToWrite, BUSY_MS);
  } catch (error) {
    const reason = reasonOf(error, db);
    return { loaded: [], left: [...left, ...ready.filter(isThere).map((one) => ({ ...one, reason }))] };
  }
  const loaded: string[] = [];
  try {
    for (const one of ready.filter(isThere)) {
      const fault = await load(engine, one.file);
      if (fault === null) loaded.push(one.file);
      else left.push({ ...one, reason: fault });
    }
  } finally {
    await engine.close();
  }
  return { loaded, left };
}

/** Another process may have loaded it meanwhile. */
function isThere({ file }: KeptRun): boolean {
  return existsSync(file);
}

function reasonOf(error: unknown, db: string): string {
  if (error instanceof StoreError && error.code === "locked_database") return `${db} is busy`;
  return error instanceof Error ? error.message : String(error);
}

/** Null where it is stored; else why it is not. */
async function load(engine: Writable, file: string): Promise<string | null> {
  try {
    await engine.ingestCalls(file);
    await rm(file, { force: true });
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The runs that runners keep beside a database, by name of the file. */
async function findKeptRuns(db: string): Promise<KeptRun[]> {
  const { dir, base } = path.parse(db);
  const names = await readdir(dir === "" ? "." : dir).catch(() => []);
  const kept: KeptRun[] = [];
  for (const name of names.filter((one) => one.startsWith(`${base}.`)).toSorted()) {
    const file = path.join(dir, name);
    const [, complete, owner] = PART.exec(file) ?? [];
    if (complete !== undefined) kept.push(...(await recovered(db, file, complete, owner)));
    else if (name.endsWith(".ndjson")) kept.push(...(await read(db, file, file)));
  }
  return kept;
}

/** A file that a process writes: the name that it gets at last, and the process. */
const PART = new RegExp(String.raw`^(.*\.ndjson)\.(${OWNER})?\.part$`, "s");

/** The name of the file that this process writes before it is complete. */
export function partName(complete: string): string {
  return `${complete}.${ownerName()}.part`;
}

/** What a killed runner left becomes a complete file, up to the last trials that were written as a whole. */
async function recovered(
  db: string,
  part: string,
  complete: string,
  owner: string | undefined,
): Promise<KeptRun[]> {
  const found = await read(db, part, complete);
  const stat = await lstat(part).catch(() => null);
  if (stat === null || found.length === 0) return [];
  const silence = Date.now() - stat.mtimeMs;
  if (!hasEnded(owner, silence)) return found.map((one) => ({ ...one, fault: "a runner still writes it" }));
  const end = await lastEnd(part, stat.size);
  const file = end === 0 ? null : completeSync(part, complete, end);
  if (file === null) await rm(part, { force: true });
  return file === null ? [] : await read(db, file, file);
}

/** Where the last whole parcel of a file ends. */
async function lastEnd(file: string, size: number): Promise<number> {
  const handle = await open(file, "r");
  try {
    const step = 1024 * 1024;
    for (let to = size; to > 0; to -= step) {
      const from = Math.max(0, to - step);
      // A mark may lie across two steps.
      const bytes = Buffer.alloc(Math.min(size, to + 1) - from);
      await handle.read(bytes, 0, bytes.length, from);
      const found = bytes.lastIndexOf(PARCEL_END);
      if (found >= 0) return from + found + PARCEL_END.length;
    }
    return 0;
  } finally {
    await handle.close();
  }
}

/** A file of the run that its name says; of others nothing. `complete` is the name that it has at last. */
async function read(db: string, file: string, complete: string): Promise<KeptRun[]> {
  const stat = await lstat(file).catch(() => null);
  if (stat?.isFile() !== true) return [];
  const handle = await open(file, "r").catch(() => null);
  if (handle === null) return [{ file, project: null, fault: "it cannot be read" }];
  try {
    const start = Buffer.alloc(Math.min(stat.size, MOST_FIRST_LINE));
    await handle.read(start, 0, start.length, 0);
    const end = Buffer.alloc(Math.min(stat.size, FILE_END.length));
    await handle.read(end, 0, end.length, stat.size - end.length);
    const [line = ""] = start.toString().split("\n", 1);
    return runOf(db, file, complete, line, end.toString() === FILE_END);
  } finally {
    await handle.close();
  }
}

function runOf(db: string, file: string, complete: string, line: string, endsWell: boolean): KeptRun[] {
  let first: Json;
  try {
    first = JSON.parse(line) as Json;
  } catch {
    return [{ file, project: null, fault: "it is damaged: its first line is no call" }];
  }
  const run = at(first, "attributes", "run");
  const project = at(first, "project_id");
  const name = keptName(path.basename(db), String(run)).slice(0, -".ndjson".length);
  const rest = path.basename(complete).startsWith(name) ? path.basename(complete).slice(name.length) : "";
  if (!["string", "number"].includes(typeof run) || !/^(?:\.\d+)?\.ndjson$/.test(rest)) return [];
  // What a runner keeps has a mark at the end of its first line, and so one at its end.
  const isCut = line.endsWith(" ") && !endsWell;
  const fault = isCut ? "it is damaged: its end is missing" : null;
  return [{ file, project: typeof project === "string" ? project : null, fault }];
}
