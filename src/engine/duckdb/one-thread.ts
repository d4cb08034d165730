import type { DuckDBConnection } from "@duckdb/node-api";

/**
 * Lets a DuckDB of two threads work on one, and returns what gives the second back. While its second thread runs a
 * task, the thread that waits for the query spins; a load needs that core for reading the next batch.
 */
export async function keepToOneThread(connection: DuckDBConnection): Promise<() => Promise<void>> {
  const found = await connection.runAndReadAll("SELECT current_setting('threads')");
  if (Number(found.getRows()[0]?.[0]) !== 2) return () => Promise.resolve();
  await connection.run("SET GLOBAL threads = 1");
  return async () => {
    await connection.run("SET GLOBAL threads = 2");
  };
}
