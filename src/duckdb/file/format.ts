import type { FileHandle } from "node:fs/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import { StoreError } from "../../errors.ts";
import { FORMAT, type Migration, pendingSteps } from "../../store/migrations.ts";
import { openInstance, type Instance } from "./instance.ts";
import type { StoreOptions } from "./store-options.ts";

/**
 * Opens an existing file and returns the steps that lead it to the current format. Throws `StoreError` on a foreign
 * file, and on one of an unknown format, which stay unchanged: DuckDB's own checkpoints are off, also on closing.
 */
export async function openFormat(
  { path, readOnly }: StoreOptions,
  config: Record<string, string>,
  steps: readonly Migration[],
): Promise<{ readonly instance: Instance; readonly pending: readonly Migration[] }> {
  const instance = await openInstance(path, config);
  try {
    const version = await formatVersion(instance, path);
    return { instance, pending: pendingSteps(steps, version, { name: path, readOnly }) };
  } catch (error) {
    instance.closeSync();
    throw error;
  }
}

/** The version of the schema; 0 for an empty database. */
async function formatVersion(instance: Instance, path: string): Promise<number> {
  const connection = await instance.connect();
  try {
    await connection.run("PRAGMA disable_checkpoint_on_shutdown");
    const version = await readVersion(connection);
    if (version === null) {
      throw new StoreError(
        "foreign_database",
        `${path}: a DuckDB database of another program; choose another path`,
      );
    }
    return version;
  } finally {
    // An instance ends with its last connection; and once a process closes a file, it loses all of its locks on that
    // file.
    connection.closeSync();
  }
}

const OBJECTS = `SELECT
  (SELECT count(*) FROM duckdb_tables() WHERE NOT internal) + (SELECT count(*) FROM duckdb_views() WHERE NOT internal)
  + (SELECT count(*) FROM duckdb_sequences()) + (SELECT count(*) FROM duckdb_types() WHERE NOT internal)
  + (SELECT count(*) FROM duckdb_functions() WHERE NOT internal)
  + (SELECT count(*) FROM duckdb_schemas() WHERE NOT internal)`;

/** Returns 0 for an empty database, null for one of another program. */
async function readVersion(connection: DuckDBConnection): Promise<number | null> {
  const statement = await connection
    .prepare("SELECT format, version FROM main.evalcube_format")
    .catch(() => null);
  if (statement === null) {
    const objects = await connection.runAndReadAll(OBJECTS);
    return Number(objects.getRows()[0]?.[0]) === 0 ? 0 : null;
  }
  try {
    const found = await statement.runAndReadAll();
    const [format, version] = found.getRows()[0] ?? [];
    return format === FORMAT && Number.isInteger(version) ? Number(version) : null;
  } finally {
    statement.destroySync();
  }
}

const PAGE_BYTES = 4096;
/**
 * Bytes of the three pages before the blocks: the file's own page, and two headers; the header with the higher
 * iteration counts.
 */
export const HEADER_BYTES = 3 * PAGE_BYTES;

/** Fields of a header of a DuckDB file (DuckDB 1.5, `DatabaseHeader`). */
interface Header {
  /** Counts the checkpoints of the database. */
  readonly iteration: bigint;
  readonly blockBytes: number;
}

/** Whether the letters `DUCK` follow the checksum of the first page. */
export function isDuckDB(pages: Buffer): boolean {
  return pages.toString("latin1", 8, 12) === "DUCK";
}

/** Returns the newest header that is whole; null where none is whole. */
export function readHeader(pages: Buffer): Header | null {
  let newest: Header | null = null;
  for (const start of [PAGE_BYTES, 2 * PAGE_BYTES]) {
    const page = pages.subarray(start, start + PAGE_BYTES);
    if (!isWhole(page)) continue;
    const header = { iteration: page.readBigUInt64LE(8), blockBytes: Number(page.readBigUInt64LE(40)) };
    if (newest === null || header.iteration > newest.iteration) newest = header;
  }
  return newest;
}

/** Reads the first three pages of a file; bytes beyond its end are zeros. */
export async function readPages(database: FileHandle): Promise<Buffer> {
  const pages = Buffer.alloc(HEADER_BYTES);
  await database.read(pages, 0, HEADER_BYTES, 0);
  return pages;
}

const MULTIPLIER = 0xbf58476d1ce4e5b9n;

/** Whether a page or block begins with the checksum of the bytes after it (DuckDB 1.5, `src/common/checksum.cpp`). */
export function isWhole(block: Buffer): boolean {
  let sum = 5381n;
  for (let i = 8; i + 8 <= block.length; i += 8) sum ^= block.readBigUInt64LE(i) * MULTIPLIER;
  return BigInt.asUintN(64, sum) === block.readBigUInt64LE(0);
}
