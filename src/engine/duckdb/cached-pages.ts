import type { DuckDBConnection } from "@duckdb/node-api";

/** What a change of the limit must leave free: less is no reason for one. */
const LEAST_BYTES = 32 * 2 ** 20;

/**
 * Lets go of the pages of the file that DuckDB keeps in memory, by a lower limit for a moment. What it wrote stays
 * cached until the limit is reached. `limit` is the one to come back to.
 */
export async function dropCachedPages(connection: DuckDBConnection, limit: string): Promise<void> {
  const found = await connection.runAndReadAll(`SELECT
    coalesce(sum(memory_usage_bytes) FILTER (tag = 'BASE_TABLE'), 0)::DOUBLE,
    coalesce(sum(memory_usage_bytes) FILTER (tag <> 'BASE_TABLE'), 0)::DOUBLE FROM duckdb_memory()`);
  const [pages = 0, others = 0] = (found.getRows()[0] ?? []).map(Number);
  if (pages < LEAST_BYTES) return;
  try {
    await connection.run(`SET GLOBAL memory_limit = '${Math.ceil(others + LEAST_BYTES / 2)}B'`);
  } catch {
    // What is held cannot be let go of at this moment: the limit has stayed.
  } finally {
    await connection.run(`SET GLOBAL memory_limit = '${limit}'`);
  }
}
