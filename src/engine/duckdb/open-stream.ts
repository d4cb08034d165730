import type { DuckDBConnection, DuckDBResult } from "@duckdb/node-api";
import type { SqlStatement } from "../../store/sql.ts";
import { boundStatement } from "./bound.ts";

/**
 * The result that a transaction streams, one at a time. DuckDB keeps the database open for a stream that did not come
 * to its end, whatever becomes of its connection.
 */
export interface OpenStream {
  /** Runs a statement whose result is read as it is made. What was left of the one before is read away. */
  readonly start: (query: SqlStatement) => Promise<DuckDBResult>;
  /** To be awaited before the transaction ends. */
  readonly finish: () => Promise<void>;
  /** Ends a stream that nobody reads on, and with it what the transaction can do. */
  readonly stop: () => Promise<void>;
}

export function openStream(connection: DuckDBConnection): OpenStream {
  let open: DuckDBResult | null = null;
  const finish = async () => {
    const result = open;
    open = null;
    if (result !== null) await readAway(result);
  };
  return {
    start: async (query) => {
      await finish();
      open = await boundStatement(query, (...args) => connection.stream(...args));
      return open;
    },
    finish,
    stop: async () => {
      if (open !== null) connection.interrupt();
      await finish();
    },
  };
}

/** Of a result that came to its end, or whose statement failed, nothing is left. */
async function readAway(result: DuckDBResult): Promise<void> {
  for (;;) {
    const chunk = await result.fetchChunk().catch(() => null);
    if (chunk === null || chunk.rowCount === 0) return;
    chunk.reset();
  }
}
