import type { DuckDBConnection, DuckDBInstance, DuckDBPreparedStatement } from "@duckdb/node-api";
import { connect } from "./file.ts";

/** A connection with what it keeps between transactions. */
export interface PooledConnection {
  readonly connection: DuckDBConnection;
  readonly statements: PreparedStatements;
  /** Begins a transaction that reads, with the snapshot taken, which BEGIN alone does not. */
  readonly beginReading: () => Promise<void>;
  readonly commit: () => Promise<void>;
}

export async function openPooledConnection(instance: DuckDBInstance): Promise<PooledConnection> {
  const connection = await connect(instance);
  return pooled(connection);
}

export async function pooled(connection: DuckDBConnection): Promise<PooledConnection> {
  const begin = await connection.prepare("BEGIN TRANSACTION READ ONLY");
  const snapshot = await connection.prepare("FROM evalcube_format LIMIT 0");
  const commit = await connection.prepare("COMMIT");
  return {
    connection,
    statements: createPreparedStatements(connection),
    beginReading: async () => {
      await begin.run();
      await snapshot.run();
    },
    commit: async () => {
      await commit.run();
    },
  };
}

/** Statements of one connection, ready to run again. */
export interface PreparedStatements {
  /** Runs `work` on a statement that nobody else runs until it is done with. */
  readonly run: <T>(
    sql: string,
    epoch: number,
    work: (prepared: DuckDBPreparedStatement) => Promise<T>,
  ) => Promise<T>;
}

const KEPT = 24;
const LONGEST = 4096;

/**
 * A statement holds the hash tables and materialized relations of its last run, so that a few large ones would
 * take all memory. Those take long to run, and little of that is spared by keeping them.
 */
const LONGEST_KEPT_RUN_MS = 40;

/**
 * Keeps the statements used last, as long as nothing is written: the plan of a statement rests on what the
 * tables held when it was made.
 */
function createPreparedStatements(connection: DuckDBConnection): PreparedStatements {
  const kept = new Map<string, DuckDBPreparedStatement>();
  let planned = -1;
  const clear = () => {
    for (const one of kept.values()) one.destroySync();
    kept.clear();
  };
  const forget = () => {
    for (const [text, oldest] of kept) {
      if (kept.size <= KEPT) break;
      kept.delete(text);
      oldest.destroySync();
    }
  };
  return {
    run: async (sql, epoch, work) => {
      if (planned !== epoch) clear();
      planned = epoch;
      const known = kept.get(sql);
      kept.delete(sql);
      const prepared = known ?? (await connection.prepare(sql));
      const began = performance.now();
      let keep = false;
      try {
        const result = await work(prepared);
        keep = sql.length <= LONGEST && performance.now() - began <= LONGEST_KEPT_RUN_MS;
        return result;
      } finally {
        if (keep) kept.set(sql, prepared);
        else prepared.destroySync();
        forget();
      }
    },
  };
}
