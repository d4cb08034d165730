import { setTimeout as pause } from "node:timers/promises";
import { StoreError, UnsupportedError } from "../../errors.ts";
import type { ClickHouse, StatementOptions } from "../server/client.ts";

/** A server of a database. */
export interface Joined {
  readonly client: ClickHouse;
  /** Whether other servers have copies of its tables. */
  readonly isReplicated: boolean;
}

/** A table is read-only for a moment after its server starts, or joins. */
const ATTEMPTS = 20;
const PAUSE_MS = 500;

/**
 * Sees whether a database has replicas, and that this one can be written to. Throws `StoreError` `read_only_replica`
 * where it cannot: what it has may be old, and it would take no record. Throws `UnsupportedError` where the servers of
 * the database are several shards.
 */
export async function joinReplicas(
  client: ClickHouse,
  database: string,
  name: string,
  wait: (ms: number) => Promise<unknown> = pause,
): Promise<Joined> {
  const [found] = await client.rows("SELECT engine FROM system.databases WHERE name = currentDatabase()");
  if (found?.[0] !== "Replicated") return { client, isReplicated: false };
  await client.run(`SYSTEM SYNC DATABASE REPLICA ${database}`);
  await checkShards(client, name);
  const tables = await writableTables(client, name, wait);
  const replica = onReplica(client, await hasOthers(client));
  await replica.catchUp(tables);
  return { client: replica, isReplicated: true };
}

/** Each shard would have records that the others lack, under one list of commits. */
async function checkShards(client: ClickHouse, name: string): Promise<void> {
  const [found] = await client.rows(
    "SELECT uniqExact(shard_num) FROM system.clusters WHERE cluster = currentDatabase()",
  );
  if (Number(found?.[0]) <= 1) return;
  throw new UnsupportedError(
    "replicas",
    `${name}: the servers of the database have several names of shards, and replicas must have the same; see system.clusters, and make the database with a path of its own for each shard`,
  );
}

async function writableTables(
  client: ClickHouse,
  name: string,
  wait: (ms: number) => Promise<unknown>,
): Promise<readonly string[]> {
  for (let left = ATTEMPTS; ; left--) {
    const tables = await client.rows(
      "SELECT table, is_readonly FROM system.replicas WHERE database = currentDatabase()",
    );
    const readOnly = tables.find(([, isReadOnly]) => Number(isReadOnly) > 0);
    if (readOnly === undefined) return tables.map(([table]) => String(table));
    if (left === 0) {
      throw new StoreError(
        "read_only_replica",
        `${name}: the table ${String(readOnly[0])} of this replica is read-only; see that the server reaches its coordinator (zookeeper_exception in system.replicas says more), or name another replica`,
      );
    }
    await wait(PAUSE_MS);
  }
}

/** With a single replica the server would wait for another one for as long as it may: `auto` is one of one then. */
async function hasOthers(client: ClickHouse): Promise<boolean> {
  const [found] = await client.rows(
    "SELECT max(total_replicas) FROM system.replicas WHERE database = currentDatabase()",
  );
  return Number(found?.[0]) > 1;
}

/** What is acknowledged is on more than half of the replicas, whichever these are. */
const QUORUM = { insert_quorum: "auto", insert_quorum_parallel: 1, insert_quorum_timeout: 60_000 } as const;

/**
 * Replicas leave out what was stored before. Blocks of loads have tokens; what is sent as a statement, as signs of
 * life, is stored again.
 */
const AGAIN = { deduplicate_insert_select: "disable" } as const;

/** A replica that is asked for records after it has what others stored before. */
function onReplica(client: ClickHouse, withQuorum: boolean): ClickHouse {
  const stored = (given: StatementOptions = {}): StatementOptions => ({
    ...given,
    settings: { ...AGAIN, ...(withQuorum ? QUORUM : {}), ...given.settings },
  });
  const reached = new Map<string, string>();
  return {
    ...client,
    run: (statement, bound, given) => client.run(statement, bound, stored(given)),
    insert: (table, columns, rows, given) => client.insert(table, columns, rows, stored(given)),
    catchUp: async (tables, state) => {
      const key = tables.join();
      if (state !== undefined && reached.get(key) === state) return;
      await Promise.all(tables.map((table) => client.run(`SYSTEM SYNC REPLICA ${table} LIGHTWEIGHT`)));
      if (state !== undefined) reached.set(key, state);
    },
  };
}
