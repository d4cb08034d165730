import { readdirSync, readFileSync } from "node:fs";
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

/** The schema version of an existing file, read without writing to it. */
export async function formatVersion(path: string, newest: number): Promise<number> {
  const instance = await openInstance(path, { access_mode: "READ_ONLY" });
  try {
    const connection = await instance.connect();
    const tables = await connection.runAndReadAll(
      "SELECT count(*) FILTER (table_name = 'evalcube_format'), count(*) FROM duckdb_tables() WHERE NOT internal",
    );
    const [ours, all] = (tables.getRows()[0] ?? [0n, 0n]).map(Number);
    if (ours === 0 && all === 0) return 0;
    if (ours === 0) {
      throw new StoreError(
        "foreign_database",
        `${path}: a DuckDB database of another program; choose another path`,
      );
    }
    const found = await connection.runAndReadAll("SELECT format, version FROM evalcube_format");
    const [format, version] = found.getRows()[0] ?? [];
    if (format !== FORMAT || typeof version !== "number") {
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
    instance.closeSync();
  }
}

/** A connection that knows the macros of `macros.sql`. */
export async function connect(instance: DuckDBInstance): Promise<DuckDBConnection> {
  const connection = await instance.connect();
  await connection.run(readFileSync(new URL("macros.sql", SQL_FOLDER), "utf8"));
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
