import type { DuckDBConnection } from "@duckdb/node-api";
import { connect } from "./file/migrate.ts";
import type { Instance } from "./file/instance.ts";

/**
 * A connection with the prepared statements that every reader runs. Other statements are not kept: a prepared statement
 * holds the hash tables of its last run, and DuckDB plans it anew for each set of values.
 */
export interface PooledConnection {
  readonly connection: DuckDBConnection;
  /** Begins a read transaction and takes its snapshot, which BEGIN alone does not. */
  readonly beginReading: () => Promise<void>;
  readonly commit: () => Promise<void>;
  /**
   * Destroys the statements and closes the connection: statements hold their connection, and with it the file, until
   * they are destroyed.
   */
  readonly close: () => void;
}

export async function openPooledConnection(instance: Instance): Promise<PooledConnection> {
  const connection = await connect(instance);
  const begin = await connection.prepare("BEGIN TRANSACTION READ ONLY");
  const snapshot = await connection.prepare("FROM evalcube_format LIMIT 0");
  const commit = await connection.prepare("COMMIT");
  return {
    connection,
    beginReading: async () => {
      await begin.run();
      await snapshot.run();
    },
    commit: async () => {
      await commit.run();
    },
    close: () => {
      for (const prepared of [begin, snapshot, commit]) prepared.destroySync();
      connection.closeSync();
    },
  };
}

/** Connections to an instance, each used by one transaction at a time. */
export interface ConnectionPool {
  readonly take: () => Promise<PooledConnection>;
  readonly giveBack: (lease: PooledConnection) => void;
  /** Closes the connections, which must all have been given back. */
  readonly close: () => void;
}

export function createConnectionPool(instance: Instance, first: PooledConnection): ConnectionPool {
  const idle = [first];
  return {
    take: async () => idle.pop() ?? openPooledConnection(instance),
    giveBack: (lease) => void idle.push(lease),
    close: () => {
      for (const lease of idle) lease.close();
    },
  };
}
