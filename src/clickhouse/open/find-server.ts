import { StoreError } from "../../errors.ts";
import { openClient, type ClickHouse } from "../server/client.ts";
import type { ClickHouseOptions } from "../server/options.ts";
import { hasNumber } from "../server/server-faults.ts";

/** Year and month of the release. */
const OLDEST: readonly [number, number] = [26, 7];

const NO_MACRO = 139;
const NO_COORDINATOR = 225;

/** Asks a server about itself and a database. Throws `StoreError` `old_server`. */
async function hasDatabase(server: ClickHouse, { url, database }: ClickHouseOptions): Promise<boolean> {
  const [found] = await server.rows(
    "SELECT version(), (SELECT count() FROM system.databases WHERE name = {database: String})",
    { database },
  );
  const version = String(found?.[0]);
  const [year = 0, month = 0] = version.split(".").map(Number);
  if (year < OLDEST[0] || (year === OLDEST[0] && month < OLDEST[1])) {
    throw new StoreError(
      "old_server",
      `${url}: ClickHouse ${version} is older than ${OLDEST.join(".")}, the oldest that evalcube works with; update the server`,
    );
  }
  return Number(found?.[1]) > 0;
}

/** What is done about a database that is missing. */
interface Missing {
  readonly readOnly: boolean;
  /** Whether it is spread over shards, which have no replicas. */
  readonly isSpread: boolean;
  readonly checkNew: () => Promise<void>;
}

/**
 * Makes a database where it is missing and nothing is found against it. Throws `StoreError` `no_database` where nothing
 * may be made.
 */
export async function findDatabase(
  options: ClickHouseOptions,
  { readOnly, isSpread, checkNew }: Missing,
): Promise<void> {
  const server = await openClient(options, "system");
  try {
    if (await hasDatabase(server, options)) return;
    if (readOnly) {
      throw new StoreError(
        "no_database",
        `${databaseName(options)}: there is no such database, or the user may not see it; load something first, or open it without readOnly`,
      );
    }
    try {
      await checkNew();
    } catch (error) {
      // Another process has made it meanwhile, and what was found is its own.
      if (await hasDatabase(server, options)) return;
      throw error;
    }
    await createDatabase(server, options, isSpread ? "" : await replicatedEngine(server, options));
  } finally {
    await server.close();
  }
}

/** What messages call a database: server and database, no user. */
export function databaseName({ url, database }: ClickHouseOptions): string {
  return `${url}/${database}`;
}

/** The engine of a database with replicas, where the server's configuration names the replica that it is. */
async function replicatedEngine(server: ClickHouse, { database }: ClickHouseOptions): Promise<string> {
  try {
    await server.rows("SELECT getMacro('shard'), getMacro('replica')");
  } catch (error) {
    if (hasNumber(error, NO_MACRO)) return "";
    throw error;
  }
  return ` ENGINE = Replicated('/evalcube/databases/${database}/{shard}', '{shard}', '{replica}')`;
}

async function createDatabase(server: ClickHouse, options: ClickHouseOptions, engine: string): Promise<void> {
  const statement = `CREATE DATABASE IF NOT EXISTS ${options.database}${engine}`;
  try {
    await server.run(statement);
  } catch (error) {
    if (hasNumber(error, NO_COORDINATOR)) {
      throw new StoreError(
        "no_coordinator",
        `${databaseName(options)}: the server has the macros of a replica, and no coordinator; add ClickHouse Keeper to its configuration, or make the database with ENGINE = Atomic to have it on this server alone`,
        { cause: error },
      );
    }
    if (!(error instanceof StoreError) || error.code !== "not_allowed") throw error;
    throw new StoreError(
      "not_allowed",
      `${databaseName(options)}: there is no such database, and the user may not make it; have an administrator run: ${statement}`,
      { cause: error },
    );
  }
}
