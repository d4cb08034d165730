import { randomUUID } from "node:crypto";
import { StoreError } from "../../../errors.ts";
import type { Conventions } from "../../../model/conventions.ts";
import { openClient, type ClickHouse } from "../client.ts";
import { checkClickHouseOptions, type ClickHouseOptions } from "../options.ts";
import { hasNumber } from "../server-faults.ts";
import type { Servers } from "../shards.ts";
import { shardUrls } from "./cluster.ts";
import { checkConventions, checkShardCount, readSettled, settle, type Settled } from "./conventions.ts";
import { findDatabase, nameOf } from "./find-server.ts";
import {
  checkMigratable,
  checkVersion,
  formatVersion,
  migrate,
  readMigrations,
  underLease,
} from "./migrate.ts";
import { checkParts, checkPlaces, spreadOver, type Spread } from "./parts.ts";

/** A database on ClickHouse of the current format. */
export interface ClickHouseDatabase extends Settled, Servers {
  /** What messages call it: server and database, no user. */
  readonly name: string;
  /** What stands before the names of its tables. */
  readonly schema: string;
  /** Over which cluster tables are spread, and the database of their parts; null where they are on one server. */
  readonly spread: { readonly cluster: string; readonly parts: string } | null;
  readonly readOnly: boolean;
  /** Ends the connections to all servers. */
  readonly close: () => Promise<void>;
}

/** What a server answers that has no coordinator, or no path for this kind of table. */
const NO_COORDINATOR = [36, 139, 344, 392];

/**
 * Opens a database on a server, or on the shards of a cluster, of which the first one has what is not spread; creates or migrates it
 * where needed. Throws `StoreError`: `invalid_option`, `unreachable`, `bad_credentials`, `not_allowed`, `old_server`, `no_database`,
 * `foreign_database`, `newer_database`, `old_database`, `other_conventions`, `unknown_cluster`, `other_cluster`.
 */
export async function openDatabase(
  options: ClickHouseOptions,
  wanted: Partial<Conventions>,
  readOnly: boolean,
): Promise<ClickHouseDatabase> {
  checkClickHouseOptions(options);
  const urls = await shardUrls(options);
  const first = { ...options, url: urls[0] ?? options.url };
  const name = nameOf(first);
  const client = await openClient(first);
  const spread = await spreadOver(options, urls);
  const shards = spread?.parts.map((part) => part.client) ?? [client];
  const close = async () => {
    await Promise.all([...new Set([client, ...shards])].map((one) => one.close()));
  };
  try {
    await findDatabase(first, readOnly, () => checkParts(spread, "none"));
    await bringUpToDate(client, spread, name, wanted, readOnly);
    const settled = await readSettled(client);
    if (settled === null) throw new StoreError("old_database", `${name}: it is being made; open it again`);
    checkConventions(name, settled.conventions, wanted);
    const places = spread === null ? null : { cluster: spread.cluster, parts: spread.database };
    return { name, schema: options.database, spread: places, readOnly, client, shards, close, ...settled };
  } catch (error) {
    await close();
    throw error;
  }
}

async function bringUpToDate(
  client: ClickHouse,
  spread: Spread | null,
  name: string,
  wanted: Partial<Conventions>,
  readOnly: boolean,
): Promise<void> {
  const steps = readMigrations();
  const newest = steps.at(-1)?.version ?? 0;
  const version = await formatVersion(client, name);
  checkVersion(name, version, newest);
  await checkMigratable(client, name, version);
  if (readOnly && version < newest) {
    throw new StoreError(
      version === 0 ? "no_database" : "old_database",
      version === 0
        ? `${name}: the database is empty; load something first, or open it without readOnly`
        : `${name}: format ${version} is older than ${newest}; open it once without readOnly to migrate it`,
    );
  }
  const shardCount = spread?.parts.length ?? 1;
  const settled = version === 0 ? null : await readSettled(client);
  if (settled !== null) checkShardCount(name, settled.shardCount, shardCount);
  if (version === newest && settled !== null) {
    if (!readOnly) await checkParts(spread, "all");
    await checkPlaces(client, spread, name);
  } else if (!readOnly)
    await underLease(client, async () => {
      const now = await formatVersion(client, name);
      const before = now === 0 ? null : await readSettled(client);
      await checkParts(spread, before !== null ? "all" : now === 0 ? "none" : "some");
      await migrate(client, spread, name, now, steps);
      await checkPlaces(client, spread, name);
      if (before === null)
        await settle(client, wanted, { shardCount, hasCoordinator: await makeCommits(client) });
    });
}

/**
 * Makes the table that hands out the numbers of commits. It is kept by the coordinator of the servers, which lets one number be taken
 * once; returns whether there is one.
 */
async function makeCommits(client: ClickHouse): Promise<boolean> {
  try {
    await client.run(`CREATE TABLE IF NOT EXISTS commits (number UInt64, loads Array(UInt64), dead Array(UInt64), writer String)
      ENGINE = KeeperMap('/evalcube/${randomUUID()}') PRIMARY KEY number`);
    return true;
  } catch (error) {
    if (NO_COORDINATOR.some((number) => hasNumber(error, number))) return false;
    throw error;
  }
}
