import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { StoreError } from "../../errors.ts";
import { FORMAT, pendingSteps, type Migration } from "../../store/migrations.ts";
import { openInstance } from "./instance.ts";
import type { StoreOptions } from "./store-options.ts";

/**
 * Opens an existing file and returns the steps that lead it to the current format. Throws `StoreError` on a foreign file, and on one of an
 * unknown format, which stay unchanged: DuckDB's own checkpoints are off, also on closing.
 */
export async function openFormat(
  { path, readOnly }: StoreOptions,
  config: Record<string, string>,
  steps: readonly Migration[],
): Promise<{ readonly instance: DuckDBInstance; readonly pending: readonly Migration[] }> {
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
async function formatVersion(instance: DuckDBInstance, path: string): Promise<number> {
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
