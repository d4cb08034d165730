import { randomUUID } from "node:crypto";
import { StoreError, UnsupportedError } from "../../errors.ts";
import { checkConventions, chosenConventions, type WantedConventions } from "../../store/conventions.ts";
import { type ClickHouse, openClient } from "../server/client.ts";
import { checkClickHouseOptions, type ClickHouseOptions } from "../server/options.ts";
import { type Migration, pendingSteps, readMigrations } from "../../store/migrations.ts";
import { hasNumber } from "../server/server-faults.ts";
import type { Servers } from "../server/shards.ts";
import type { Conventions } from "../../model/conventions.ts";
import { findDatabase, databaseName } from "./find-server.ts";
import { formatVersion, migrateServer, underLease } from "./migrate.ts";
import { checkParts, checkPlaces, type Spread, spreadOver } from "./parts.ts";
import { type Joined, joinReplicas } from "./replica.ts";

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
 * Opens a database on a server, or on the shards of a cluster, of which the first one has what is not spread; creates
 * it, or migrates it by the files of a folder, where needed. Throws `StoreError`: `invalid_option`, `unreachable`,
 * `bad_credentials`, `not_allowed`, `old_server`, `no_database`, `foreign_database`, `newer_database`, `old_database`,
 * `other_conventions`, `unknown_cluster`, `other_cluster`, `read_only_replica`, `no_coordinator`.
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
  const name = databaseName(first);
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
      await migrateServer(joined, spread, name, pendingSteps(steps, now ?? 0, { name, readOnly }));
      await checkPlaces(client, spread, name);
      if (before === null)
        await settle(client, wanted, { shardCount, hasCoordinator: await makeCommits(joined, name) });
    });
}

/**
 * Makes the table that hands out the numbers of commits. It is kept by the coordinator of the servers, which lets one
 * number be taken once; returns whether there is one.
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

/**
 * The HTTP interfaces of the shards of a cluster, with protocol and port of `url`; `url` alone where no cluster is
 * named, or one of a single shard. Throws `StoreError` `unknown_cluster`, and `other_cluster` where a server is several
 * shards.
 */
async function shardUrls(options: ClickHouseOptions): Promise<readonly string[]> {
  const { url, cluster } = options;
  if (cluster === undefined) return [url];
  const server = await openClient(options, "system");
  try {
    const found = await server.rows(
      "SELECT shard_num, any(host_name), count() FROM system.clusters WHERE cluster = {cluster: String} GROUP BY shard_num ORDER BY shard_num",
      { cluster },
    );
    if (found.length === 0) {
      throw new StoreError(
        "unknown_cluster",
        `${url}: system.clusters has no cluster ${cluster}; name one that it has, or add it to remote_servers in the server's configuration`,
      );
    }
    if (found.length === 1) return [url];
    if (found.some(([, , replicas]) => Number(replicas) > 1)) {
      throw new UnsupportedError(
        "replicas",
        `${url}: the shards of the cluster ${cluster} have several replicas each, which is not offered; name a cluster of one replica a shard, or one shard`,
      );
    }
    return eachOnce(
      found.map(([, host]) => urlOf(url, String(host))),
      cluster,
    );
  } finally {
    await server.close();
  }
}

function eachOnce(urls: readonly string[], cluster: string): readonly string[] {
  const twice = urls.find((url, i) => urls.indexOf(url) !== i);
  if (twice === undefined) return urls;
  throw new StoreError(
    "other_cluster",
    `${twice}: several shards of the cluster ${cluster} are this server; list each server once in remote_servers, under a host name of its own`,
  );
}

function urlOf(url: string, host: string): string {
  const own = new URL(url);
  own.hostname = host.includes(":") ? `[${host}]` : host;
  return own.href.replace(/\/$/, "");
}

/** What a database was made with. */
interface Settled {
  readonly conventions: Conventions;
  /** Whether commits are taken from a coordinator, so that several processes may write. */
  readonly hasCoordinator: boolean;
  /** How many shards it has. */
  readonly shardCount: number;
}

/** What the database was made with; null where nothing is settled yet. */
async function readSettled(client: ClickHouse): Promise<Settled | null> {
  await client.catchUp(["conventions"]);
  const [found] =
    await client.rows(`SELECT predict_and_score_ops, attribute_namespaces, has_coordinator, shards
    FROM conventions ORDER BY id LIMIT 1`);
  if (found === undefined) return null;
  const [ops, namespaces, coordinator, shards] = found;
  return {
    conventions: {
      predictAndScoreOps: JSON.parse(String(ops)) as string[],
      attributeNamespaces: JSON.parse(String(namespaces)) as string[],
    },
    hasCoordinator: coordinator === true,
    shardCount: Number(shards),
  };
}

/** Settles a new database. Of two processes that do at once, the first counts. */
async function settle(
  client: ClickHouse,
  wanted: WantedConventions,
  { shardCount, hasCoordinator }: Pick<Settled, "shardCount" | "hasCoordinator">,
): Promise<void> {
  const { predictAndScoreOps, attributeNamespaces } = chosenConventions(wanted);
  await client.run(
    `INSERT INTO conventions SELECT generateSnowflakeID(), {ops: String}, {namespaces: String}, {shardCount: UInt32}, {coordinator: Bool}`,
    {
      ops: JSON.stringify(predictAndScoreOps),
      namespaces: JSON.stringify(attributeNamespaces),
      shardCount,
      coordinator: hasCoordinator,
    },
  );
}

/** Throws `StoreError` `other_cluster` where a database was made for another number of shards. */
function checkShardCount(name: string, stored: number, found: number): void {
  if (stored === found) return;
  throw new StoreError(
    "other_cluster",
    `${name}: made for ${told(stored)}, not ${told(found)}; name what it was made for, or copy it to a new database with evalcube migrate`,
  );
}

function told(shards: number): string {
  return shards === 1 ? "one server" : `a cluster of ${shards} shards`;
}
