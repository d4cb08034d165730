import { renameSync, rmSync } from "node:fs";
import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { readMigrations } from "../../../src/duckdb/file/migrate.ts";

/** Makes a closed database one of an older format: what that format knew, in a file as its migrations make it. */
export async function makeOlder(database: string, version: number): Promise<void> {
  const older = `${database}.older`;
  const instance = await DuckDBInstance.create(older, {
    storage_compatibility_version: "v1.4.0",
    default_block_size: "65536",
  });
  const connection = await instance.connect();
  for (const step of readMigrations().filter((one) => one.version <= version))
    await connection.run(step.text);
  await connection.run(`ATTACH '${database.replaceAll("'", "''")}' AS newer (READ_ONLY)`);
  for (const [table, columns] of await tablesOf(connection))
    await connection.run(
      `INSERT INTO main."${table}" (${columns}) SELECT ${columns} FROM newer.main."${table}"`,
    );
  await connection.run("CREATE TABLE evalcube_format (format VARCHAR, version INTEGER)");
  await connection.run(`INSERT INTO evalcube_format VALUES ('evalcube', ${version})`);
  await connection.run("DETACH newer");
  connection.closeSync();
  instance.closeSync();
  rmSync(database);
  renameSync(older, database);
}

/** Names of the tables of the older format, and their columns. */
async function tablesOf(connection: DuckDBConnection): Promise<[string, string][]> {
  const found =
    await connection.runAndReadAll(`SELECT table_name, string_agg(format('"{}"', column_name), ', ' ORDER BY column_index)
    FROM duckdb_columns() WHERE database_name = current_database() AND NOT internal
      AND table_name IN (SELECT table_name FROM duckdb_tables() WHERE database_name = current_database())
    GROUP BY table_name`);
  return found.getRows().map(([table, columns]) => [String(table), String(columns)]);
}
