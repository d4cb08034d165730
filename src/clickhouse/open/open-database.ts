import { randomUUID } from "node:crypto";
import { StoreError, UnsupportedError } from "../../errors.ts";
import { checkConventions, type WantedConventions } from "../../store/conventions.ts";
import { openClient } from "../server/client.ts";
import { checkClickHouseOptions, type ClickHouseOptions } from "../server/options.ts";
import { pendingSteps, readMigrations, type Migration } from "../../store/migrations.ts";
import { hasNumber } from "../server/server-faults.ts";
import type { Servers } from "../server/shards.ts";
import { shardUrls } from "./cluster.ts";
import { checkShardCount, readSettled, settle, type Settled } from "./conventions.ts";
import { findDatabase, nameOf } from "./find-server.ts";
import { formatVersion, migrate, underLease } from "./migrate.ts";
import { checkParts, checkPlaces, spreadOver, type Spread } from "./parts.ts";
import { joinReplicas, type Joined } from "./replica.ts";

/** A database on ClickHouse of the current format. */
export interface ClickHouseDatabase extends Settled, Servers {
  /** What messages call it: server and database, no user. */
  readonly name: string;
  /** What stands before the names of its tables. */
  readonly schema: string;
  /** Over which cluster tables are spread, and the database of their parts; null where they are on one server. */
  readonly spread: { readonly cluster: string; readonly parts: string } | null;
  readonly readOnly: boolean;
  /** Whether other servers have copies of its tables. */
  readonly isReplicated: boolean;
  /** Ends the connections to all servers. */
  readonly close: () => Promise<void>;
}

/** What a server answers that has no coordinator, or no path for this kind of table. */
const NO_COORDINATOR = [36, 139, 344, 392];

/**
 * Opens a database on a server, or on the shards of a cluster, of which the first one has what is not spread; creates it, or migrates
 * it by the files of a folder, where needed. Throws `StoreError`: `invalid_option`, `unreachable`, `bad_credentials`, `not_allowed`, `old_server`, `no_database`,
 * `foreign_database`, `newer_database`, `old_database`, `other_conventions`, `unknown_cluster`, `other_cluster`, `read_only_replica`,
 * `no_coordinator`.
 */
export async function openDatabase(
  options: ClickHouseOptions,
  wanted: WantedConventions,
  readOnly: boolean,
  migrations = "sql/clickhouse/migrations",
): Promise<ClickHouseDatabase> {
  checkClickHouseOptions(options);
  const urls = await shardUrls(options);
  const first = { ...options, url: urls[0] ?? options.url };
  const name = nameOf(first);
  const server = await openClient(first);
  const spread = await spreadOver(options, urls);
  const parts = spread?.parts.map((part) => part.client);
  const close = async () => {
    await Promise.all([server, ...(parts ?? [])].map((one) => one.close()));
  };
  try {
    const isSpread = spread !== null;
    await findDatabase(first, { readOnly, isSpread, checkNew: () => checkParts(spread, "none") });
    const joined = await joinReplicas(server, options.database, name);
    const { client } = joined;
    await bringUpToDate(readMigrations(migrations), joined, spread, name, wanted, readOnly);
    const settled = await readSettled(client);
    if (settled === null) throw new StoreError("old_database", `${name}: it is being made; open it again`);
    checkConventions(name, settled.conventions, wanted);
    const places = spread === null ? null : { cluster: spread.cluster, parts: spread.database };
    const servers = { client, isReplicated: joined.isReplicated, shards: parts ?? [client], close };
    return { name, schema: options.database, spread: places, readOnly, ...servers, ...settled };
  } catch (error) {
    await close();
    throw error;
  }
}

function spreadReplicas(name: string): UnsupportedError {
  return new UnsupportedError(
    "replicas",
    `${name}: the database has replicas, and a database over several shards may have none; make it with ENGINE = Atomic`,
  );
}

function emptyDatabase(name: string): StoreError {
  return new StoreError(
    "no_database",
    `${name}: the database is empty; load something first, or open it without readOnly`,
  );
}

async function bringUpToDate(
  steps: readonly Migration[],
  joined: Joined,
  spread: Spread | null,
  name: string,
  wanted: WantedConventions,
  readOnly: boolean,
): Promise<void> {
  const { client, isReplicated } = joined;
  if (spread !== null && isReplicated) throw spreadReplicas(name);
  const version = await formatVersion(client, name);
  if (readOnly && !version) throw emptyDatabase(name);
  const pending = pendingSteps(steps, version ?? 0, { name, readOnly });
  const shardCount = spread?.parts.length ?? 1;
  const settled = version ? await readSettled(client) : null;
  if (settled !== null) checkShardCount(name, settled.shardCount, shardCount);
  if (pending.length === 0 && settled !== null) {
    if (!readOnly) await checkParts(spread, "all");
    await checkPlaces(client, spread, name);
  } else if (!readOnly)
    await underLease(client, async () => {
      const now = await formatVersion(client, name);
      const before = now ? await readSettled(client) : null;
      await checkParts(spread, before !== null ? "all" : now === null ? "none" : "some");
      await migrate(joined, spread, name, pendingSteps(steps, now ?? 0, { name, readOnly }));
      await checkPlaces(client, spread, name);
      if (before === null)
        await settle(client, wanted, { shardCount, hasCoordinator: await makeCommits(joined, name) });
    });
}

/**
 * Makes the table that hands out the numbers of commits. It is kept by the coordinator of the servers, which lets one number be taken
 * once; returns whether there is one.
 */
async function makeCommits({ client, isReplicated }: Joined, name: string): Promise<boolean> {
  try {
    await client.run(`CREATE TABLE IF NOT EXISTS commits (number UInt64, loads Array(UInt64), dead Array(UInt64), writer String)
      ENGINE = KeeperMap('/evalcube/${randomUUID()}') PRIMARY KEY number`);
    return true;
  } catch (error) {
    if (!NO_COORDINATOR.some((number) => hasNumber(error, number))) throw error;
    if (!isReplicated) return false;
    throw new StoreError(
      "no_coordinator",
      `${name}: the servers of a database with replicas need a keeper_map_path_prefix in their configuration; add it, and open the database again`,
      { cause: error },
    );
  }
}
