import type { DuckDBConnection } from "@duckdb/node-api";

/**
 * Limits a DuckDB of two threads to one, while a load needs the other core or one thread alone finds work: the other
 * one would look for it without a pause. Resolves to a function that lifts the limit.
 */
type ThreadLimit = () => Promise<() => Promise<void>>;

/** `connection` must be used for nothing else. Limits come one at a time. */
export async function openThreadLimit(connection: DuckDBConnection): Promise<ThreadLimit> {
  const found = await connection.runAndReadAll("SELECT current_setting('threads')");
  const most = Number(found.getRows()[0]?.[0]);
  if (most !== 2) return () => Promise.resolve(() => Promise.resolve());
  return async () => {
    await connection.run("SET GLOBAL threads = 1");
    return async () => {
      await connection.run(`SET GLOBAL threads = ${most}`);
    };
  };
}
