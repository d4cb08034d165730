import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { StoreError } from "../../errors.ts";
import { openInstance } from "./instance.ts";

export const FORMAT = "evalcube";

/**
 * Opens an existing file and returns the version of its evalcube schema; 0 for an empty database. Throws `StoreError`
 * on a foreign or newer one, which stays unchanged: DuckDB's own checkpoints are off, also on closing.
 */
export async function openFormat(
  path: string,
  config: Record<string, string>,
  newest: number,
): Promise<{ readonly instance: DuckDBInstance; readonly version: number }> {
  const instance = await openInstance(path, config);
  try {
    return { instance, version: await formatVersion(instance, path, newest) };
  } catch (error) {
    instance.closeSync();
    throw error;
  }
}

async function formatVersion(instance: DuckDBInstance, path: string, newest: number): Promise<number> {
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
    if (version > newest) {
      throw new StoreError(
        "newer_database",
        `${path}: format ${version} is newer than ${newest}, the newest that this evalcube knows; update evalcube`,
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
