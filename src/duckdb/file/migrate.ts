import { INTEGER, VARCHAR, type DuckDBConnection } from "@duckdb/node-api";
import { StoreError } from "../../errors.ts";
import { packageFile } from "../../package-files.ts";
import { FORMAT, type Migration } from "../../store/migrations.ts";
import { MAKE_FILE_VIEWS } from "../views/views.ts";
import type { Instance } from "./instance.ts";

/** Views read tables of this format. */
const FORMAT_OF_VIEWS = 3;

/** Opens a connection that knows the macros of `macros.sql`. */
export async function connect(instance: Instance): Promise<DuckDBConnection> {
  const connection = await instance.connect();
  await connection.run(packageFile("sql/duckdb/macros.sql"));
  // Results are read in chunks of text-heavy records; the default buffer of 1 MB holds two chunks.
  await connection.run("SET streaming_buffer_size = '16MiB'; SET TimeZone = 'UTC'");
  return connection;
}

/**
 * Runs a step in a transaction of its own, since DuckDB alters no table whose records the same transaction has changed.
 * Where it fails, throws `StoreError`; the file then has the format of before. The
 * last step makes the views for other programs anew.
 */
export async function runMigration(
  path: string,
  connection: DuckDBConnection,
  { version, text }: Migration,
  isLast: boolean,
): Promise<void> {
  await connection.run("BEGIN TRANSACTION");
  try {
    await connection.run(text);
    if (isLast && version >= FORMAT_OF_VIEWS) await connection.run(MAKE_FILE_VIEWS);
    await connection.run("CREATE TABLE IF NOT EXISTS evalcube_format (format VARCHAR, version INTEGER)");
    await connection.run("DELETE FROM evalcube_format");
    await connection.run(
      "INSERT INTO evalcube_format VALUES ($1, $2)",
      [FORMAT, version],
      [VARCHAR, INTEGER],
    );
    await connection.run("COMMIT");
  } catch (error) {
    await connection.run("ROLLBACK").catch(() => undefined);
    const message = error instanceof Error ? error.message : String(error);
    throw new StoreError(
      "unusable_database",
      `${path}: the database cannot be brought to format ${version}, and stays as it is: ${message}`,
      { cause: error },
    );
  }
}
