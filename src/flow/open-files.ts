import { realpathSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { StoreError } from "../errors.ts";

interface OpenedFile {
  readonly path: string;
  readonly readOnly: boolean;
}

/**
 * Files that this process has open, for writing or by a number of readers. DuckDB's lock keeps other processes out, but
 * not a second instance in the same process, whose writes would be lost. This is the only state that engines share.
 */
const claims = new Map<string, { writer: boolean; readers: number }>();

/** Marks a file as open until the returned function is called. Throws `StoreError` if a writer would not be alone. */
export function claimFile({ path: file, readOnly }: OpenedFile): () => void {
  if (file === ":memory:") return () => undefined;
  const key = realPath(file);
  const claim = claims.get(key) ?? { writer: false, readers: 0 };
  if (claim.writer || (!readOnly && claim.readers > 0)) {
    throw new StoreError(
      "locked_database",
      `${file}: this process has the database open already; use that engine, close it, or open readOnly in both`,
    );
  }
  claims.set(key, claim);
  if (readOnly) claim.readers++;
  else claim.writer = true;
  let released = false;
  return () => {
    if (released) return;
    released = true;
    if (readOnly) claim.readers--;
    else claim.writer = false;
    if (!claim.writer && claim.readers === 0) claims.delete(key);
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

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    const folder = path.dirname(path.resolve(file));
    try {
      return path.join(realpathSync(folder), path.basename(file));
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
