import { basename } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { StoreError } from "../../errors.ts";
import { packageFile, packageFolder } from "../../package-files.ts";
import type { ClickHouse } from "../client.ts";
import { hasNumber } from "../server-faults.ts";
import { SPREAD_BY } from "../shards.ts";
import { makeParts, type Spread } from "./parts.ts";
import type { Joined } from "./replica.ts";

interface Migration {
  readonly version: number;
  readonly text: string;
}

const FORMAT = "evalcube";
const TABLE_EXISTS = 57;
/** A process that migrates and dies leaves its lease. */
const LEASE_SECONDS = 60;
const ASK_AGAIN_MS = 50;

/** Reads the numbered files that lead from an empty database to the current schema. */
export function readMigrations(): Migration[] {
  const files = packageFolder("sql/clickhouse/migrations").filter((file) => file.endsWith(".sql"));
  return files.map((file) => ({ version: Number.parseInt(basename(file), 10), text: packageFile(file) }));
}

/** The version of the schema of a database; 0 for an empty one. Throws `foreign_database`. */
export async function formatVersion(client: ClickHouse, name: string): Promise<number> {
  const tables = await client.rows(
    "SELECT name FROM system.tables WHERE database = currentDatabase() AND name != 'evalcube_lease'",
  );
  if (tables.length === 0) return 0;
  if (!tables.some(([table]) => table === "evalcube_format")) {
    throw new StoreError("foreign_database", `${name}: a database of another program; choose another one`);
  }
  await client.catchUp(["evalcube_format"]);
  const [found] = await client.rows(
    "SELECT max(version) FROM evalcube_format WHERE format = {format: String}",
    {
      format: FORMAT,
    },
  );
  return Number(found?.[0] ?? 0);
}

/** Throws `StoreError` `newer_database`. */
export function checkVersion(name: string, version: number, newest: number): void {
  if (version <= newest) return;
  throw new StoreError(
    "newer_database",
    `${name}: format ${version} is newer than ${newest}, the newest that this evalcube knows; update evalcube`,
  );
}

/** From this version on loads store what the records of a call make together. None before it was released. */
const WITH_MERGED_CALLS = 28;

/** Throws `StoreError` `old_database` where calls were stored without something that no migration can make. */
export async function checkMigratable(client: ClickHouse, name: string, version: number): Promise<void> {
  if (version === 0 || version >= WITH_MERGED_CALLS) return;
  const [filled] = await client.rows(
    "SELECT name FROM system.tables WHERE database = currentDatabase() AND name = 'fragments' AND total_rows > 0",
  );
  if (filled === undefined) return;
  throw new StoreError(
    "old_database",
    `${name}: format ${version}, which was never released, holds calls that this evalcube cannot use; load their sources into a new database`,
  );
}

/** Runs what a database lacks, and notes each step. A step that ran before, and was not noted, changes nothing. */
export async function migrate(
  { client, isReplicated }: Joined,
  spread: Spread | null,
  name: string,
  version: number,
  steps: readonly Migration[],
): Promise<void> {
  const engine = isReplicated ? "ReplicatedMergeTree" : "MergeTree";
  await client.run(`CREATE TABLE IF NOT EXISTS evalcube_format
    (format String, version UInt32, at DateTime64(6, 'UTC') DEFAULT now64(6)) ENGINE = ${engine} ORDER BY version`);
  let hasParts = false;
  for (const step of steps) {
    if (step.version <= version) continue;
    const text = step.text.replaceAll("{cluster}", "").replaceAll("{engine}", engine);
    const table = /(\w+) \{cluster\}/.exec(step.text)?.[1] ?? "";
    if (spread !== null && SPREAD_BY.has(table)) {
      if (!hasParts) await makeParts(client, spread, name);
      hasParts = true;
      await makeSpread(client, spread, table, text);
    } else await client.run(text);
    await client.run(
      "INSERT INTO evalcube_format (format, version) SELECT {format: String}, {version: UInt32}",
      {
        format: FORMAT,
        version: step.version,
      },
    );
  }
}

/** Makes a table of each part, and what reads them all as one: it has no key to spread by, so nothing can be inserted into it. */
async function makeSpread(client: ClickHouse, spread: Spread, table: string, text: string): Promise<void> {
  const { cluster, database, parts } = spread;
  for (const part of parts) await part.client.run(text);
  if (text.includes(" ADD COLUMN ")) await client.run(text);
  await client.run(
    `CREATE TABLE IF NOT EXISTS ${table} AS ${database}.${table} ENGINE = Distributed('${cluster}', '${database}', '${table}')`,
  );
}

/**
 * Runs `work` while no other process does: making a table is atomic on a server. Where a lease is old, and is taken although its
 * holder lives, two may migrate at once, and each step does what the other one's did.
 */
export async function underLease<T>(client: ClickHouse, work: () => Promise<T>): Promise<T> {
  while (!(await takeLease(client))) await pause(ASK_AGAIN_MS);
  try {
    return await work();
  } finally {
    await client.run("DROP TABLE IF EXISTS evalcube_lease SYNC");
  }
}

async function takeLease(client: ClickHouse): Promise<boolean> {
  try {
    await client.run("CREATE TABLE evalcube_lease (nothing UInt8) ENGINE = Memory");
    return true;
  } catch (error) {
    if (!hasNumber(error, TABLE_EXISTS)) throw error;
  }
  const [old] = await client.rows(`SELECT count() FROM system.tables WHERE database = currentDatabase()
    AND name = 'evalcube_lease' AND metadata_modification_time < now() - ${LEASE_SECONDS}`);
  if (Number(old?.[0]) > 0) await client.run("DROP TABLE IF EXISTS evalcube_lease SYNC");
  return false;
}
