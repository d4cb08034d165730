import { StoreError } from "../../../errors.ts";
import { openClient, type ClickHouse } from "../client.ts";
import type { ClickHouseOptions } from "../options.ts";
import { partsOf } from "../shards.ts";
import { findDatabase, nameOf } from "./find-server.ts";

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
  const database = partsOf(options.database);
  const parts: Part[] = [];
  for (const url of urls) {
    const own = { ...options, url, database };
    parts.push({ options: own, client: await openClient(own) });
  }
  return { cluster, database, parts };
}

/** What the servers must have: nothing of a database that is new, all parts of one that is made. */
type Expected = "none" | "some" | "all";

/**
 * Throws `StoreError` `other_cluster` where a server has not the part of its place in the cluster: its shards were put into another
 * order, or one has lost what it stored.
 */
export async function checkParts(spread: Spread | null, expected: Expected): Promise<void> {
  if (spread === null) return;
  const { cluster, parts } = spread;
  const found = await Promise.all(parts.map(({ options }) => readPlace(options)));
  for (const [i, { options }] of parts.entries()) {
    const [place, own] = [found[i] ?? null, `shard ${i + 1} of ${parts.length}`];
    const isAsExpected = place === null ? expected !== "all" : expected !== "none" && place === own;
    if (isAsExpected) continue;
    const has = `it is ${own} of the cluster ${cluster}, and has ${place ?? "no part"}`;
    throw new StoreError(
      "other_cluster",
      expected === "none"
        ? `${nameOf(options)}: ${has} of another database; drop it, or choose another name for the new one`
        : `${nameOf(options)}: ${has} of the database; list the shards in the order in which they were when it was made, and restore what a server has lost`,
    );
  }
}

async function readPlace(options: ClickHouseOptions): Promise<string | null> {
  const { database } = options;
  const server = await openClient(options, "system");
  try {
    const [found] = await server.rows(
      "SELECT count() FROM system.tables WHERE database = {database: String} AND name = 'evalcube_shard'",
      { database },
    );
    if (Number(found?.[0]) === 0) return null;
    const [place] = await server.rows(`SELECT number, shards FROM ${database}.evalcube_shard`);
    return place === undefined ? null : `shard ${Number(place[0])} of ${Number(place[1])}`;
  } finally {
    await server.close();
  }
}

/** Makes the parts, without tables, where they are missing. */
export async function makeParts({ parts }: Spread): Promise<void> {
  for (const [i, { options, client }] of parts.entries()) {
    await findDatabase(options, false);
    await client.run(
      "CREATE TABLE IF NOT EXISTS evalcube_shard (number UInt32, shards UInt32) ENGINE = MergeTree ORDER BY number",
    );
    await client.run(
      `INSERT INTO evalcube_shard SELECT {number: UInt32}, {shards: UInt32} WHERE (SELECT count() FROM evalcube_shard) = 0`,
      { number: i + 1, shards: parts.length },
    );
  }
}
