import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { DuckDBInstance, INTEGER, VARCHAR, type DuckDBConnection } from "@duckdb/node-api";
import { StoreError } from "../../errors.ts";

const SQL_FOLDER = new URL("../../../sql/duckdb/", import.meta.url);
const FORMAT = "evalcube";

export interface Migration {
  readonly version: number;
  readonly text: string;
}

/** The numbered files that lead from an empty database to the current schema. */
export function readMigrations(): Migration[] {
  const folder = new URL("migrations/", SQL_FOLDER);
  const names = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  return names.toSorted().map((name) => ({
    version: Number.parseInt(name, 10),
    text: readFileSync(new URL(name, folder), "utf8"),
  }));
}

export async function openInstance(path: string, config: Record<string, string>): Promise<DuckDBInstance> {
  try {
    return await DuckDBInstance.create(path, config);
  } catch (error) {
    throw openError(path, error);
  }
}

function openError(path: string, error: unknown): StoreError {
  const message = error instanceof Error ? error.message : String(error);
  if (/lock/i.test(message)) {
    return new StoreError(
      "locked_database",
      `${path}: another process has the database open; close it there, or open it readOnly in both`,
      { cause: error },
    );
  }
  if (/not a valid DuckDB|magic bytes|serializ/i.test(message)) {
    return new StoreError("foreign_database", `${path}: this is no DuckDB database; choose another path`, {
      cause: error,
    });
  }
  if (/storage version|newer/i.test(message)) {
    return new StoreError(
      "newer_database",
      `${path}: written by a newer DuckDB; update evalcube to open it`,
      { cause: error },
    );
  }
  return new StoreError("unusable_database", `${path}: the database cannot be opened: ${message}`, {
    cause: error,
  });
}

/** The schema version of an existing file, read without writing to it; 0 for a database with nothing in it. */
export async function formatVersion(path: string, newest: number): Promise<number> {
  if (!isDuckDB(path)) {
    throw new StoreError("foreign_database", `${path}: this is no DuckDB database; choose another path`);
  }
  const instance = await openInstance(path, { access_mode: "READ_ONLY" });
  const connection = await instance.connect();
  try {
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
    // An instance ends with its last connection, and a process that closes a file once loses all locks on it.
    connection.closeSync();
    instance.closeSync();
  }
}

/** DuckDB files have these letters behind an 8-byte checksum. */
function isDuckDB(path: string): boolean {
  const file = openSync(path, "r");
  try {
    const head = Buffer.alloc(12);
    readSync(file, head, 0, 12, 0);
    return head.toString("latin1", 8) === "DUCK";
  } finally {
    closeSync(file);
  }
}

const FORMAT_COLUMNS = `SELECT count(*) FROM duckdb_columns() WHERE schema_name = 'main'
  AND table_name = 'evalcube_format' AND ((column_name = 'format' AND data_type = 'VARCHAR')
  OR (column_name = 'version' AND data_type = 'INTEGER'))`;

const OBJECTS = `SELECT
  (SELECT count(*) FROM duckdb_tables() WHERE NOT internal) + (SELECT count(*) FROM duckdb_views() WHERE NOT internal)
  + (SELECT count(*) FROM duckdb_sequences()) + (SELECT count(*) FROM duckdb_types() WHERE NOT internal)
  + (SELECT count(*) FROM duckdb_functions() WHERE NOT internal)
  + (SELECT count(*) FROM duckdb_schemas() WHERE NOT internal)`;

/** Null: another program's. */
async function readVersion(connection: DuckDBConnection): Promise<number | null> {
  if ((await countOf(connection, FORMAT_COLUMNS)) !== 2) {
    return (await countOf(connection, OBJECTS)) === 0 ? 0 : null;
  }
  const found = await connection.runAndReadAll("SELECT format, version FROM main.evalcube_format");
  const [format, version] = found.getRows()[0] ?? [];
  return format === FORMAT && typeof version === "number" ? version : null;
}

async function countOf(connection: DuckDBConnection, query: string): Promise<number> {
  const counted = await connection.runAndReadAll(query);
  return Number(counted.getRows()[0]?.[0]);
}

/** A connection that knows the macros of `macros.sql`. */
export async function connect(instance: DuckDBInstance): Promise<DuckDBConnection> {
  const connection = await instance.connect();
  await connection.run(readFileSync(new URL("macros.sql", SQL_FOLDER), "utf8"));
  // Results are read in chunks of text-heavy records: the default of 1 MB holds two.
  await connection.run("SET streaming_buffer_size = '16MiB'; SET TimeZone = 'UTC'");
  return connection;
}

/** Brings the schema up to `newest` in one transaction. */
export async function migrate(
  connection: DuckDBConnection,
  steps: readonly Migration[],
  newest: number,
): Promise<void> {
  await connection.run("BEGIN TRANSACTION");
  try {
    for (const step of steps) await connection.run(step.text);
    await connection.run("CREATE TABLE IF NOT EXISTS evalcube_format (format VARCHAR, version INTEGER)");
    await connection.run("DELETE FROM evalcube_format");
    await connection.run("INSERT INTO evalcube_format VALUES ($1, $2)", [FORMAT, newest], [VARCHAR, INTEGER]);
    await connection.run("COMMIT");
  } catch (error) {
    await connection.run("ROLLBACK").catch(() => undefined);
    throw error;
  }
}
