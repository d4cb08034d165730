import type { DuckDBInstance } from "@duckdb/node-api";
import { openPooledConnection, type PooledConnection } from "./pooled-connection.ts";

/** Connections to an instance, each used by one transaction at a time. */
export interface ConnectionPool {
  readonly take: () => Promise<PooledConnection>;
  readonly giveBack: (lease: PooledConnection) => void;
  /** Closes the connections, which must all have been given back. */
  readonly close: () => void;
}

export function createConnectionPool(instance: DuckDBInstance, first: PooledConnection): ConnectionPool {
  const idle = [first];
  return {
    take: async () => idle.pop() ?? openPooledConnection(instance),
    giveBack: (lease) => void idle.push(lease),
    close: () => {
      for (const lease of idle) lease.close();
    },
  };
}
