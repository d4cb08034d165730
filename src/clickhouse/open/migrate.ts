import { setTimeout as pause } from "node:timers/promises";
import { StoreError } from "../../errors.ts";
import { FORMAT, type Migration } from "../../store/migrations.ts";
import type { ClickHouse } from "../server/client.ts";
import { hasNumber } from "../server/server-faults.ts";
import { SPREAD_BY } from "../server/shards.ts";
import { makeParts, type Spread } from "./parts.ts";
import type { Joined } from "./replica.ts";

const TABLE_EXISTS = 57;
/** A process that migrates and dies leaves its lease. */
const LEASE_SECONDS = 60;
const ASK_AGAIN_MS = 50;

/**
 * The version of the schema of a database; null for an empty one, 0 for one that is being made. Throws
 * `foreign_database`.
 */
export async function formatVersion(client: ClickHouse, name: string): Promise<number | null> {
  const tables = await client.rows(
    "SELECT name FROM system.tables WHERE database = currentDatabase() AND name != 'evalcube_lease'",
  );
  if (tables.length === 0) return null;
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

/** Runs steps that a database lacks, and notes each. Each statement changes nothing where it ran before. */
export async function migrateServer(
  { client, isReplicated }: Joined,
  spread: Spread | null,
  name: string,
  pending: readonly Migration[],
): Promise<void> {
  const engine = isReplicated ? "ReplicatedMergeTree" : "MergeTree";
  await client.run(`CREATE TABLE IF NOT EXISTS evalcube_format
    (format String, version UInt32, at DateTime64(6, 'UTC') DEFAULT now64(6)) ENGINE = ${engine} ORDER BY version`);
  if (spread !== null && pending.length > 0) await makeParts(client, spread, name);
  for (const step of pending) {
    for (const statement of statementsOf(step.text.replaceAll("{engine}", engine))) {
      const table = /^(?:CREATE TABLE IF NOT EXISTS|ALTER TABLE) (\w+)/.exec(statement)?.[1] ?? "";
      if (spread !== null && SPREAD_BY.has(table)) await makeSpread(client, spread, table, statement);
      else await client.run(statement);
    }
    await client.run(
      "INSERT INTO evalcube_format (format, version) SELECT {format: String}, {version: UInt32}",
      { format: FORMAT, version: step.version },
    );
  }
}

/** The statements of a migration, each of which ends with a semicolon at the end of a line. */
function statementsOf(text: string): readonly string[] {
  const withoutComments = text.replaceAll(/^--.*$/gm, "");
  return withoutComments
    .split(/;$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
}

/**
 * Makes a table of each part, and what reads them all as one: it has no key to spread by, so nothing can be inserted
 * into it.
 */
async function makeSpread(client: ClickHouse, spread: Spread, table: string, text: string): Promise<void> {
  const { cluster, database, parts } = spread;
  for (const part of parts) await part.client.run(text);
  if (text.includes(" ADD COLUMN ")) await client.run(text);
  await client.run(
    `CREATE TABLE IF NOT EXISTS ${table} AS ${database}.${table} ENGINE = Distributed('${cluster}', '${database}', '${table}')`,
  );
}

/**
 * Runs `work` while no other process does: making a table is atomic on a server. Where a lease is old, and is taken
 * although its holder lives, two may migrate at once, and each step does what the other one's did.
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
