import type { ClickHouse } from "../../src/engine/clickhouse/client.ts";
import { maintain } from "../../src/engine/clickhouse/load/maintain.ts";
import { TABLE_NAMES } from "../../src/engine/clickhouse/insert/tables.ts";
import { IS_VISIBLE, readCommits, visibleValues } from "../../src/engine/clickhouse/visible.ts";
import { clickHouseFacts, type Facts } from "./clickhouse-facts.ts";
import { openLoading } from "./clickhouse-loading.ts";

/** How a process ends at a request: before the server gets it, or before the answer comes. */
type Death = "before" | "after";

/** A client whose process dies at the request of this number, from 1; `survived` tells whether it never came so far. */
function mortal(step: number, death: Death) {
  let requests = 0;
  const mayDie = async <T>(request: () => Promise<T>): Promise<T> => {
    requests++;
    if (requests < step) return request();
    if (requests === step && death === "after") await request();
    throw new Error("the process is dead");
  };
  const through = (client: ClickHouse): ClickHouse => ({
    rows: (...args) => mayDie(() => client.rows(...args)),
    arrow: (...args) => mayDie(() => client.arrow(...args)),
    run: (...args) => mayDie(() => client.run(...args)),
    insert: (...args) => mayDie(() => client.insert(...args)),
    close: () => client.close(),
  });
  return { through, survived: () => requests < step };
}

/** What a crash left, what was there before and after it, and what a second attempt made of it. */
export interface Crash {
  readonly before: Facts;
  readonly left: Facts;
  readonly maintained: Facts;
  readonly repeated: Facts;
  /** Records of loads that nobody sees, after the database was maintained. */
  readonly stray: number;
  /** Whether the load ended before its process did. */
  readonly survived: boolean;
}

/** Loads `source` with a process that dies at a request, maintains the database and loads it again. */
export async function crash(
  url: string,
  database: string,
  source: readonly object[],
  step: number,
  death: Death,
): Promise<Crash> {
  const alive = await openLoading(url, database);
  const { client, hasCoordinator } = alive.database;
  const facts = () => clickHouseFacts(client, hasCoordinator);
  const before = await facts();
  const dying = mortal(step, death);
  const dead = await openLoading(url, database, dying.through);
  await dead.ingestCalls(source).catch(() => undefined);
  const left = await facts();
  await maintain({ client, hasCoordinator, silentMs: 0 });
  const maintained = await facts();
  const stray = await countStray(client, hasCoordinator);
  await alive.ingestCalls(source);
  return { before, left, maintained, repeated: await facts(), stray, survived: dying.survived() };
}

export async function countStray(client: ClickHouse, hasCoordinator: boolean): Promise<number> {
  const values = visibleValues(await readCommits(client, hasCoordinator));
  const counts = TABLE_NAMES.map(
    (table) => `SELECT count() AS records FROM ${table} WHERE NOT ${IS_VISIBLE}`,
  );
  const [found] = await client.rows(`SELECT sum(records) FROM (${counts.join(" UNION ALL ")})`, values);
  return Number(found?.[0]);
}
