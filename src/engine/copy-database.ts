import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import path from "node:path";
import { StoreError } from "../errors.ts";
import type { Counts } from "../ingest/kept.ts";
import type { RecordStore, Store } from "../store/session.ts";
import type { Backend } from "./backend.ts";
import type { EngineOptions } from "./engine-options.ts";
import { passingPath, refuseTaken } from "../flow/passing-file.ts";
import { copyCalls } from "../copy/copy-calls.ts";
import { copyRecords, countRecords } from "../copy/copy-records.ts";

type Database = Backend<Store & RecordStore>;
/** Opens a database, of a file or of a server. */
export type OpenDatabase = (options: EngineOptions) => Promise<Database>;

export interface CopyOptions {
  readonly signal?: AbortSignal;
  /** Called with the records that were written so far, and with how many there are at least. */
  readonly onProgress?: (written: number, total: number) => void;
}

/**
 * Copies what a database holds into another one, which must be empty, and compares the counts of both. Calls and rows
 * come last, and become visible together. Throws `StoreError` `not_empty` and `incomplete_copy`.
 */
async function copyDatabase(
  from: Database,
  to: Database,
  target: string,
  options: CopyOptions,
): Promise<Counts> {
  const { signal, onProgress } = options;
  await checkEmpty(to, target, signal);
  return await from.keep(async (kept) => {
    const before = { ...(await kept.counts()), ...(await countRecords(from.store, signal)) };
    const total = (before["calls"] ?? 0) + (before["rows"] ?? 0);
    await copyRecords(from.store, to.store, signal);
    await copyCalls(kept, to.writers, to.conventions, (written) => onProgress?.(written, total), signal);
    const after = await countAll(to, signal);
    const other = Object.keys(before).find((name) => before[name] !== after[name]);
    if (other !== undefined)
      throw new StoreError(
        "incomplete_copy",
        `${target}: holds ${after[other]} ${other} where ${before[other]} were to be copied; do not use it. Was the first database written to meanwhile? Copy it again into an empty one`,
      );
    return before;
  }, signal);
}

async function countAll(database: Database, signal: AbortSignal | undefined): Promise<Counts> {
  const counts = await database.keep((kept) => kept.counts(), signal);
  return { ...counts, ...(await countRecords(database.store, signal)) };
}

async function checkEmpty(to: Database, target: string, signal: AbortSignal | undefined): Promise<void> {
  const counts = await countAll(to, signal);
  const held = Object.keys(counts).find((name) => counts[name] !== 0);
  if (held === undefined) return;
  throw new StoreError(
    "not_empty",
    `${target}: holds ${counts[held]} ${held}; a database is copied into an empty one. If a copy was stopped here, drop the database (over a cluster also the database of its parts on each server, of the same name and _shard) and copy again`,
  );
}

/**
 * Copies a database into another one that is opened as `to` says: a file that is not there yet, or an empty database on
 * a server.
 */
export async function copyTo(
  open: OpenDatabase,
  from: Database,
  to: EngineOptions,
  options: CopyOptions = {},
): Promise<Counts> {
  const conventions = { ...from.conventions };
  if (to.path !== undefined) return await copyToFile(open, from, to.path, { ...to, ...conventions }, options);
  const target = await open({ ...to, ...conventions });
  try {
    return await copyDatabase(from, target, `${to.clickhouse?.url}/${to.clickhouse?.database}`, options);
  } finally {
    await target.store.close();
  }
}

/** The file has another name until all is in it. */
async function copyToFile(
  open: OpenDatabase,
  from: Database,
  file: string,
  opened: EngineOptions,
  options: CopyOptions,
): Promise<Counts> {
  refuseTaken(file);
  const passing = passingPath(path.dirname(file));
  try {
    const target = await open({ ...opened, path: passing });
    const counts = await copyDatabase(from, target, file, options).finally(() => target.store.close());
    if (existsSync(`${passing}.wal`))
      throw new StoreError(
        "not_copied",
        `${file}: the disk refused the last of it; free some space and copy it again`,
      );
    await rename(passing, file);
    return counts;
  } finally {
    for (const left of [passing, `${passing}.wal`]) await rm(left, { force: true });
  }
}
