import { StoreError } from "../../errors.ts";
import { openClient, type ClickHouse } from "../server/client.ts";
import type { ClickHouseOptions } from "../server/options.ts";
import { partsDatabase } from "../server/shards.ts";
import { hasNumber } from "../server/server-faults.ts";
import { findDatabase, databaseName } from "./find-server.ts";

/** How a database is spread over the shards of a cluster. */
export interface Spread {
  readonly cluster: string;
  /** The database of the parts. */
  readonly database: string;
  readonly parts: readonly Part[];
}

/** The part of one shard. Its client can be used once the part is made. */
export interface Part {
  readonly options: ClickHouseOptions;
  readonly client: ClickHouse;
}

/** The parts on these servers; null where there is one server. Asks nothing yet. */
export async function spreadOver(
  options: ClickHouseOptions,
  urls: readonly string[],
): Promise<Spread | null> {
  const { cluster } = options;
  if (cluster === undefined || urls.length === 1) return null;
  const database = partsDatabase(options.database);
  const parts: Part[] = [];
  for (const url of urls) {
    const own = { ...options, url, database };
    parts.push({ options: own, client: await openClient(own) });
  }
  return { cluster, database, parts };
}

/** What the servers must have: nothing of a database that is new, all parts of one that is made. */
type Expected = "none" | "some" | "all";

const ORDER = "list each shard once, in the order in which they were when the database was made";

/**
 * Asks each server by itself. Throws `StoreError` `other_cluster` where one has not the part of its place in the
 * cluster: its shards were put into another order, or one has lost what it stored; `foreign_database` where the name of
 * the parts is taken.
 */
export async function checkParts(spread: Spread | null, expected: Expected): Promise<void> {
  if (spread === null) return;
  const { cluster, parts } = spread;
  const found = await Promise.all(parts.map(({ options }) => readPlace(options, expected)));
  for (const [i, { options }] of parts.entries()) {
    const [place, own] = [found[i] ?? null, `shard ${i + 1} of ${parts.length}`];
    const isAsExpected = place === null ? expected !== "all" : expected !== "none" && place === own;
    if (isAsExpected) continue;
    const has = `it is ${own} of the cluster ${cluster}, and has ${place ?? "no part"}`;
    throw new StoreError(
      "other_cluster",
      expected === "none"
        ? `${databaseName(options)}: ${has} of another database; ${ORDER}, or choose another name for a new one`
        : `${databaseName(options)}: ${has} of the database; ${ORDER}, and restore what a server has lost`,
    );
  }
}

async function readPlace(options: ClickHouseOptions, expected: Expected): Promise<string | null> {
  const { database } = options;
  const server = await openClient(options, "system");
  try {
    const [found] = await server.rows(
      "SELECT countIf(name = 'evalcube_shard'), count() FROM system.tables WHERE database = {database: String}",
      { database },
    );
    const [own, tables] = [Number(found?.[0]), Number(found?.[1])];
    if (own === 0 && tables > 0 && expected !== "all") {
      throw new StoreError(
        "foreign_database",
        `${databaseName(options)}: has tables of something else, and is where a shard would have its part; choose another name for the new database`,
      );
    }
    if (own === 0) return null;
    const [place] = await server.rows(`SELECT number, shards FROM ${database}.evalcube_shard`);
    return place === undefined ? null : placeOf(place[0], place[1]);
  } finally {
    await server.close();
  }
}

const UNKNOWN_TABLE = 60;
const UNKNOWN_DATABASE = 81;

/**
 * Asks the first server what statements find on the shards. Throws `StoreError` `other_cluster` where that is not each
 * part once.
 */
export async function checkPlaces(client: ClickHouse, spread: Spread | null, name: string): Promise<void> {
  if (spread === null) return;
  const { cluster, parts } = spread;
  const found = await readPlaces(client, spread);
  const wanted = parts.map((_, i) => `${i + 1}: ${placeOf(i + 1, parts.length)}`).join(", ");
  if (found === wanted) return;
  throw new StoreError(
    "other_cluster",
    `${name}: over the cluster ${cluster} the server finds ${found}, not ${wanted}; ${ORDER}, and restore what a server has lost`,
  );
}

async function readPlaces(client: ClickHouse, { cluster, database }: Spread): Promise<string> {
  try {
    const found = await client.rows(
      `SELECT _shard_num, number, shards FROM cluster('${cluster}', view(SELECT number, shards FROM ${database}.evalcube_shard)) ORDER BY ALL`,
    );
    return found.map(([shard, number, shards]) => `${Number(shard)}: ${placeOf(number, shards)}`).join(", ");
  } catch (error) {
    if (hasNumber(error, UNKNOWN_TABLE) || hasNumber(error, UNKNOWN_DATABASE))
      return "a shard without its part";
    throw error;
  }
}

function placeOf(number: unknown, shards: unknown): string {
  return `shard ${Number(number)} of ${Number(shards)}`;
}

/** Makes the parts, without tables, where they are missing, and sees that each is on a server of its own. */
export async function makeParts(client: ClickHouse, spread: Spread, name: string): Promise<void> {
  for (const [i, part] of spread.parts.entries()) {
    await findDatabase(part.options, { readOnly: false, isSpread: true, checkNew: async () => undefined });
    await part.client.run(
      "CREATE TABLE IF NOT EXISTS evalcube_shard (number UInt32, shards UInt32) ENGINE = MergeTree ORDER BY number",
    );
    await part.client.run(
      `INSERT INTO evalcube_shard SELECT {number: UInt32}, {shards: UInt32} WHERE (SELECT count() FROM evalcube_shard) = 0`,
      { number: i + 1, shards: spread.parts.length },
    );
  }
  await checkParts(spread, "all");
  await checkPlaces(client, spread, name);
}
