import type { DuckDBConnection, DuckDBResult } from "@duckdb/node-api";
import type { SqlStatement } from "../store/sql.ts";
import { boundStatement } from "./bound.ts";

/**
 * The result that a transaction streams, one at a time. DuckDB keeps the database open for a stream that was not read
 * to its end, even after its connection ends.
 */
export interface OpenStream {
  /** Runs a statement whose result is read as it is made; first discards the rest of the previous result. */
  readonly start: (query: SqlStatement) => Promise<DuckDBResult>;
  /** Discards the rest of the result; must be awaited before the transaction ends. */
  readonly finish: () => Promise<void>;
  /** Ends a stream that nobody reads further, after which the transaction can do nothing more. */
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

/** Discards the rest of a result; nothing is left of one that was read to its end, or whose statement failed. */
async function readAway(result: DuckDBResult): Promise<void> {
  for (;;) {
    const chunk = await result.fetchChunk().catch(() => null);
    if (chunk === null || chunk.rowCount === 0) return;
    chunk.reset();
  }
}
