import { randomUUID } from "node:crypto";
import { StoreError } from "../../../errors.ts";
import type { Conventions } from "../../../model/conventions.ts";
import { openClient, type ClickHouse } from "../client.ts";
import { checkClickHouseOptions, type ClickHouseOptions } from "../options.ts";
import { hasNumber } from "../server-faults.ts";
import { checkConventions, checkShards, readSettled, settle, type Settled } from "./conventions.ts";
import {
  checkMigratable,
  checkVersion,
  formatVersion,
  migrate,
  readMigrations,
  underLease,
} from "./migrate.ts";

/** A database on ClickHouse of the current format. */
export interface ClickHouseDatabase extends Settled {
  /** What messages call it: server and database, no user. */
  readonly name: string;
  /** What stands before the names of its tables. */
  readonly schema: string;
  readonly readOnly: boolean;
  readonly client: ClickHouse;
}

/** Year and month of the release. */
const OLDEST: readonly [number, number] = [26, 7];
/** What a server answers that has no coordinator, or no path for this kind of table. */
const NO_COORDINATOR = [36, 139, 344, 392];

/**
 * Opens a database on a server; creates or migrates it where needed. Throws `StoreError`: `invalid_option`, `unreachable`,
 * `bad_credentials`, `not_allowed`, `old_server`, `no_database`, `foreign_database`, `newer_database`, `old_database`,
 * `other_conventions`, `other_cluster`.
 */
export async function openDatabase(
  options: ClickHouseOptions,
  wanted: Partial<Conventions>,
  readOnly: boolean,
): Promise<ClickHouseDatabase> {
  checkClickHouseOptions(options);
  const name = `${options.url}/${options.database}`;
  await checkServer(options, name, readOnly);
  const client = await openClient(options);
  try {
    await bringUpToDate(client, name, wanted, readOnly);
    const settled = await readSettled(client);
    if (settled === null) throw new StoreError("old_database", `${name}: it is being made; open it again`);
    checkShards(name, settled.shards);
    checkConventions(name, settled.conventions, wanted);
    return { name, schema: options.database, readOnly, client, ...settled };
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** Whether the server answers, is not too old and has the database, which is made where it is missing. */
async function checkServer(options: ClickHouseOptions, name: string, readOnly: boolean): Promise<void> {
  const server = await openClient(options, "system");
  try {
    const [found] = await server.rows(
      "SELECT version(), (SELECT count() FROM system.databases WHERE name = {database: String})",
      { database: options.database },
    );
    const version = String(found?.[0]);
    const [year = 0, month = 0] = version.split(".").map(Number);
    if (year < OLDEST[0] || (year === OLDEST[0] && month < OLDEST[1])) {
      throw new StoreError(
        "old_server",
        `${options.url}: ClickHouse ${version} is older than ${OLDEST.join(".")}, the oldest that evalcube works with; update the server`,
      );
    }
    if (Number(found?.[1]) > 0) return;
    if (readOnly) {
      throw new StoreError(
        "no_database",
        `${name}: there is no such database, or the user may not see it; load something first, or open it without readOnly`,
      );
    }
    await createDatabase(server, options.database, name);
  } finally {
    await server.close();
  }
}

async function createDatabase(server: ClickHouse, database: string, name: string): Promise<void> {
  const statement = `CREATE DATABASE IF NOT EXISTS ${database}`;
  try {
    await server.run(statement);
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "not_allowed") throw error;
    throw new StoreError(
      "not_allowed",
      `${name}: there is no such database, and the user may not make it; have an administrator run: ${statement}`,
      { cause: error },
    );
  }
}

async function bringUpToDate(
  client: ClickHouse,
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
  if (version === newest && (readOnly || (await readSettled(client)) !== null)) return;
  await underLease(client, async () => {
    await migrate(client, await formatVersion(client, name), steps);
    if ((await readSettled(client)) === null) await settle(client, wanted, await makeCommits(client));
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
