import type { DuckDBConnection } from "@duckdb/node-api";

/** A row group of calls before it is written, 122,880 records of 840 bytes, and half as much of other tables. */
const MOST_BYTES = 160 * 2 ** 20;
const MOST_PAGE_BYTES = 32 * 2 ** 20;
/** Pages that a load reads again and again are to be found in memory at least so many times. */
const TIMES_BETWEEN_PAGES = 8;
/** What is to be gained, at least. */
const LEAST_BYTES = 16 * 2 ** 20;

/** Gives memory of DuckDB back where there is enough to give; for between the statements of a long write. */
export type MemoryRelease = (connection: DuckDBConnection) => Promise<void>;

/**
 * Keeps what DuckDB holds to 160 MiB by a lower limit for a moment: pages of the file go, which it caches up to its
 * limit, then the oldest of what waits to be written, into its temporary file. A change of the limit also gives to the
 * system what DuckDB has freed and malloc has kept, after a row group was written. `limit` is the one to come back to.
 */
export function memoryRelease(limit: string): MemoryRelease {
  const restore = `SET GLOBAL memory_limit = '${limit}'`;
  let bound = MOST_BYTES;
  let most = 0;
  let sincePages = TIMES_BETWEEN_PAGES;
  return async (connection) => {
    const { held, pages } = await heldBytes(connection);
    most = Math.max(most, held);
    sincePages++;
    const goal = bound - LEAST_BYTES;
    const pagesGo = pages >= MOST_PAGE_BYTES && sincePages >= TIMES_BETWEEN_PAGES;
    if (!pagesGo && held < bound && most - held < LEAST_BYTES) return;
    const lower = pagesGo ? Math.min(goal, held - pages + LEAST_BYTES) : goal;
    try {
      // At once: whoever begins to read meanwhile has the lower limit no longer than it takes.
      await connection.run((lower < held ? `SET GLOBAL memory_limit = '${lower}B';` : "") + restore);
    } catch {
      // What is in use cannot go: not to be tried again before there is more. The limit has stayed.
      bound = held + 2 * LEAST_BYTES;
    }
    if (pagesGo) sincePages = 0;
    most = (await heldBytes(connection)).held;
  };
}

async function heldBytes(connection: DuckDBConnection): Promise<{ held: number; pages: number }> {
  const found = await connection.runAndReadAll(`SELECT coalesce(sum(memory_usage_bytes), 0)::DOUBLE,
    coalesce(sum(memory_usage_bytes) FILTER (tag = 'BASE_TABLE'), 0)::DOUBLE FROM duckdb_memory()`);
  const [held = 0, pages = 0] = (found.getRows()[0] ?? []).map(Number);
  return { held, pages };
}
