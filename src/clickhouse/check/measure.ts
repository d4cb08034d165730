import { formatWrite, type Measured } from "../../store/measured.ts";
import { columnsOf, TABLE_NAMES } from "../insert/tables.ts";
import { IS_VISIBLE, readCommits, visibleValues } from "../lookup/visible.ts";
import { formatVersion } from "../open/migrate.ts";
import { integerOf } from "../server/integer-of.ts";
import type { ClickHouseDatabase } from "../open/open-database.ts";

type Client = ClickHouseDatabase["client"];

/** Tells sizes and age of a database. It has no log, and of replicas one counts. */
export async function measureServer(
  { client, shards, name, hasCoordinator }: ClickHouseDatabase,
  signal: AbortSignal | undefined,
): Promise<Measured> {
  const sizes = await readSizes(new Set([client, ...shards]), signal);
  const total = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
  const values = visibleValues(await readCommits(client, hasCoordinator));
  const ask = (statement: string) => client.rows(statement, values, { signal });
  const weights = weigh(await ask(RECORDS), sizes);
  const projects = await ask(`SELECT DISTINCT project_key, project_id FROM projects WHERE ${IS_VISIBLE}`);
  const names = new Map(projects.map(([key, id]) => [String(key), String(id)]));
  const calls = new Map((await ask(CALLS)).map(([key, count]) => [String(key), Number(count)]));
  const evaluations = await ask(
    `SELECT DISTINCT project_key, evaluation_key, id FROM evaluations WHERE ${IS_VISIBLE}`,
  );
  return {
    database: name,
    format: (await formatVersion(client, name)) ?? 0,
    bytes: total,
    log_bytes: 0,
    last_write_at: await lastServerWrite(client, signal),
    projects: [...names].map(([key, id]) => ({
      id,
      weight: weights.get(key) ?? 0,
      calls: calls.get(key) ?? 0,
    })),
    evaluations: evaluations.map(([project, key, id]) => ({
      project: names.get(String(project)) ?? "",
      id: String(id),
      weight: weights.get(`${String(project)} ${String(key)}`) ?? 0,
    })),
  };
}

/** When calls or rows became visible last. */
export async function lastServerWrite(
  client: Client,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const [found] = await client.rows(
    "SELECT toUnixTimestamp64Micro(maxOrNull(at)) FROM loads WHERE state = 'visible'",
    {},
    { signal },
  );
  const at = found?.[0] ?? null;
  return formatWrite(at === null ? null : integerOf(at));
}

/** The bytes of each table on these servers. */
async function readSizes(servers: Iterable<Client>, signal: AbortSignal | undefined) {
  const sizes = new Map<string, number>();
  for (const server of servers) {
    const found = await server.rows(
      "SELECT table, sum(bytes_on_disk) FROM system.parts WHERE database = currentDatabase() AND active GROUP BY table",
      {},
      { signal },
    );
    for (const [table, bytes] of found)
      sizes.set(String(table), (sizes.get(String(table)) ?? 0) + Number(bytes));
  }
  return sizes;
}

/** How many records each project has in each table, and each evaluation where the table knows it. */
const RECORDS = TABLE_NAMES.map((table) => {
  const knows = columnsOf(table).some(({ name }) => name === "evaluation_key");
  return `SELECT '${table}' AS name, project_key, ${knows ? "evaluation_key" : "toUInt64(0)"} AS key, count() AS n
    FROM ${table} GROUP BY project_key, key`;
}).join(" UNION ALL ");

const CALLS = `SELECT project_key, uniqExact(call_key) FROM fragments WHERE ${IS_VISIBLE} GROUP BY project_key`;

function add(to: Map<string, number>, key: string, by: number): void {
  to.set(key, (to.get(key) ?? 0) + by);
}

/** A table's bytes shared out by its records: by project, and by project and evaluation with a space between. */
function weigh(records: readonly (readonly unknown[])[], sizes: ReadonlyMap<string, number>) {
  const totals = new Map<string, number>();
  for (const [table, , , count] of records) add(totals, String(table), Number(count));
  const weights = new Map<string, number>();
  for (const [table, project, key, count] of records) {
    const total = totals.get(String(table)) ?? 1;
    const weight = ((sizes.get(String(table)) ?? 0) * Number(count)) / total;
    add(weights, String(project), weight);
    if (String(key) !== "0") add(weights, `${String(project)} ${String(key)}`, weight);
  }
  return weights;
}
