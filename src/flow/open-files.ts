import { realpathSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { EvalcubeError, StoreError } from "../errors.ts";

interface OpenedFile {
  readonly path: string;
  readonly readOnly: boolean;
}

type Close = () => Promise<void>;

/**
 * Files that this process has open, for writing or by a number of readers. DuckDB's lock keeps other processes out, but
 * not a second instance in the same process, whose writes would be lost. This is the only state that engines share.
 */
const claims = new Map<string, { writer: boolean; readers: number; readonly toClose: Close[] }>();

/** A file that is marked as open. */
export interface ClaimedFile {
  /**
   * Closes the file and takes the mark back, once; where other readers of this process have the file open, the last of
   * them closes it: once a process closes a file, it loses all of its locks on that file.
   */
  readonly release: (close: Close) => Promise<void>;
}

/** Marks a file as open. Throws `StoreError` if a writer would not be alone. */
export function claimFile({ path: file, readOnly }: OpenedFile): ClaimedFile {
  if (file === ":memory:") return { release: (close) => close() };
  const key = realPath(file);
  const claim = claims.get(key) ?? { writer: false, readers: 0, toClose: [] };
  if (claim.writer || (!readOnly && claim.readers > 0)) {
    throw new StoreError(
      "locked_database",
      `${file}: this process has the database open already; use that engine, close it, or open readOnly in both`,
    );
  }
  claims.set(key, claim);
  if (readOnly) claim.readers++;
  else claim.writer = true;
  return {
    release: async (close) => {
      claim.toClose.push(close);
      if (claim.readers > 1) {
        claim.readers--;
        return;
      }
      try {
        for (const one of claim.toClose.splice(0)) await one();
      } finally {
        if (readOnly) claim.readers--;
        else claim.writer = false;
        if (!claim.writer && claim.readers === 0) claims.delete(key);
      }
    },
  };
}

/** Whether a file, given as a path without links, is part of a database that this process has open. */
export function belongsToOpenDatabase(file: string): boolean {
  return [...claims.keys()].some(
    (key) =>
      file === key ||
      /^\.(wal|tmp|blocks|recovery)\b/.test(file.startsWith(key) ? file.slice(key.length) : ""),
  );
}

/**
 * Throws `EvalcubeError` where a file is part of a database that this process has open: who opens and closes it takes
 * the locks on it from the database.
 */
export function refuseOpenDatabase(file: string): void {
  if (!belongsToOpenDatabase(realPath(file))) return;
  throw new EvalcubeError("invalid_source", `${file}: it belongs to an open database, and cannot be loaded`);
}

/**
 * The files of a list that are no part of a database that this process has open. Only names are looked at first: a list
 * may be long, and each look at the disk holds up the event loop.
 */
export function withoutOpenDatabases(files: readonly string[]): string[] {
  const names = [...claims.keys()].map((key) => path.basename(key));
  const isNamedSo = (file: string) => names.some((name) => path.basename(file).startsWith(name));
  return files.filter((file) => !isNamedSo(file) || !belongsToOpenDatabase(realPath(file)));
}

function realPath(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    const folder = path.dirname(path.resolve(file));
    try {
      return path.join(realpathSync.native(folder), path.basename(file));
    } catch {
      return path.resolve(file);
    }
  }
}

/**
 * Whether a file has no bytes and so holds nothing; unless it is read only, removes it to make way for a new database.
 */
export function isEmpty({ path: file, readOnly }: OpenedFile): boolean {
  const found = statSync(file);
  if (!found.isFile() || found.size > 0) return false;
  if (!readOnly) rmSync(file);
  return true;
}
