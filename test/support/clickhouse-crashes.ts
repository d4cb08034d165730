import type { ClickHouse } from "../../src/clickhouse/server/client.ts";
import type { ClickHouseDatabase } from "../../src/clickhouse/open/open-database.ts";
import type { Loading } from "../../src/engine/loading.ts";
import { maintain } from "../../src/clickhouse/load/maintain.ts";
import { TABLE_NAMES } from "../../src/clickhouse/insert/tables.ts";
import { IS_VISIBLE, readCommits, visibleValues } from "../../src/clickhouse/lookup/visible.ts";
import { clickHouseFacts, type Facts } from "./clickhouse-facts.ts";
import { openLoading } from "./clickhouse-loading.ts";
import { mortal } from "./clickhouse-mortal.ts";

/** What a crash left, and what a second attempt made of it. */
export interface Crash {
  readonly left: Facts;
  readonly maintained: Facts;
  readonly repeated: Facts;
  /** Records of loads that nobody sees, after the database was maintained. */
  readonly stray: number;
  /** Whether the load ended before its process did. */
  readonly survived: boolean;
}

/** How a load of a process ends that dies. */
type Die = (database: string, source: readonly object[]) => Promise<{ readonly survived: boolean }>;

/** Loads `source` with a process that dies, maintains the database and loads it again. */
export async function crash(
  { database, ingestCalls }: Loading & { readonly database: ClickHouseDatabase },
  source: readonly object[],
  die: Die,
): Promise<Crash> {
  const { client, hasCoordinator, schema } = database;
  const facts = () => clickHouseFacts(client, hasCoordinator);
  const { survived } = await die(schema, source);
  const left = await facts();
  await maintain({ ...database, silentMs: 0 });
  const maintained = await facts();
  const stray = await countStray(client, hasCoordinator);
  await ingestCalls(source);
  return { left, maintained, repeated: await facts(), stray, survived };
}

/** Dies in this process at the request of this number: before the server gets it, or before the answer comes. */
export function dieHere(
  server: Parameters<typeof openLoading>[0],
  step: number,
  death: "before" | "after",
): Die {
  return async (database, source) => {
    const { through, survived } = mortal(step, async (request) => {
      if (death === "after") await request();
      throw new Error("the process is dead");
    });
    const dead = await openLoading(server, database, through);
    await dead.ingestCalls(source).catch(() => undefined);
    return { survived: survived() };
  };
}

export async function countStray(client: ClickHouse, hasCoordinator: boolean): Promise<number> {
  const values = visibleValues(await readCommits(client, hasCoordinator));
  const counts = TABLE_NAMES.map(
    (table) => `SELECT count() AS records FROM ${table} WHERE NOT ${IS_VISIBLE}`,
  );
  const [found] = await client.rows(`SELECT sum(records) FROM (${counts.join(" UNION ALL ")})`, values);
  return Number(found?.[0]);
}
