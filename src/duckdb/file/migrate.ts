import { basename } from "node:path";
import { INTEGER, VARCHAR, type DuckDBConnection, type DuckDBInstance } from "@duckdb/node-api";
import { StoreError } from "../../errors.ts";
import { packageFile, packageFolder } from "../../package-files.ts";
import { FORMAT } from "./format.ts";

export interface Migration {
  readonly version: number;
  readonly text: string;
}

/** Reads the numbered files that lead from an empty database to the current schema. */
export function readMigrations(): Migration[] {
  const files = packageFolder("sql/duckdb/migrations").filter((file) => file.endsWith(".sql"));
  return files.map((file) => ({ version: Number.parseInt(basename(file), 10), text: packageFile(file) }));
}

/** Opens a connection that knows the macros of `macros.sql`. */
export async function connect(instance: DuckDBInstance): Promise<DuckDBConnection> {
  const connection = await instance.connect();
  await connection.run(packageFile("sql/duckdb/macros.sql"));
  // Results are read in chunks of text-heavy records; the default buffer of 1 MB holds two chunks.
  await connection.run("SET streaming_buffer_size = '16MiB'; SET TimeZone = 'UTC'");
  return connection;
}

/**
 * Runs these steps: those of a new database in one transaction, others each in its own, since DuckDB alters no table whose records the
 * same transaction has changed. Where one fails, throws `StoreError`; the file then has the format of the step before.
 */
export async function migrate(
  path: string,
  connection: DuckDBConnection,
  steps: readonly Migration[],
): Promise<void> {
  const isNew = steps[0]?.version === 1;
  for (const together of isNew ? [steps] : steps.map((step) => [step]))
    await runSteps(path, connection, together);
}

async function runSteps(
  path: string,
  connection: DuckDBConnection,
  steps: readonly Migration[],
): Promise<void> {
  const [before, newest] = [(steps[0]?.version ?? 1) - 1, steps.at(-1)?.version ?? 0];
  await connection.run("BEGIN TRANSACTION");
  try {
    for (const step of steps) await connection.run(step.text);
    await connection.run("CREATE TABLE IF NOT EXISTS evalcube_format (format VARCHAR, version INTEGER)");
    await connection.run("DELETE FROM evalcube_format");
    await connection.run("INSERT INTO evalcube_format VALUES ($1, $2)", [FORMAT, newest], [VARCHAR, INTEGER]);
    await connection.run("COMMIT");
  } catch (error) {
    await connection.run("ROLLBACK").catch(() => undefined);
    const message = error instanceof Error ? error.message : String(error);
    throw new StoreError(
      "unusable_database",
      `${path}: the database cannot be brought to format ${newest}, and stays at format ${before}: ${message}`,
      { cause: error },
    );
  }
}
