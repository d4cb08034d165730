import { DuckDBInstance } from "@duckdb/node-api";

/** Runs statements on a database file, as another program would. */
export async function runOn(path: string, ...statements: readonly string[]): Promise<unknown[][]> {
  const instance = await DuckDBInstance.create(path);
  try {
    const connection = await instance.connect();
    let rows: unknown[][] = [];
    for (const statement of statements) rows = (await connection.runAndReadAll(statement)).getRows();
    connection.closeSync();
    return rows;
  } finally {
    instance.closeSync();
  }
}
