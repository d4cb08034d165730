import { countOf, readTables, type CheckResult, type Problem } from "../../store/check-result.ts";
import { TABLE_NAMES } from "../insert/tables.ts";
import { SILENT_MS } from "../load/open-load.ts";
import type { ClickHouseDatabase } from "../open/open-database.ts";
import { readCommits, visibleValues } from "../lookup/visible.ts";
import { rules, type Rule } from "./rules.ts";

/** Reads all of a database. Where a table cannot be read, tables are not compared: that would fail there again. */
export async function checkServer(
  database: ClickHouseDatabase,
  signal: AbortSignal | undefined,
): Promise<CheckResult> {
  const { tables, problems } = await readAll(database, signal);
  if (problems.length > 0) return { tables, problems };
  const { client, hasCoordinator, shardCount } = database;
  const visible = visibleValues(await readCommits(client, hasCoordinator));
  const found: Problem[] = [];
  for (const rule of rules(TABLE_NAMES, shardCount)) {
    const [counted = []] = await client.rows(
      `SELECT count(), min(example) FROM (${rule.broken})`,
      rule.kind === "superfluous" ? { ...visible, silent: SILENT_MS } : visible,
      { signal },
    );
    const problem = problemOf(rule, Number(counted[0]), String(counted[1]));
    if (problem !== null) found.push(problem);
  }
  return { tables, problems: found };
}

function problemOf({ kind, table, what }: Rule, records: number, example: string): Problem | null {
  if (records === 0) return null;
  return { kind, table, records, message: `${table}: ${countOf(records)}, such as ${example}, ${what}` };
}

/** Reads every value of every table. */
async function readAll(
  { client }: ClickHouseDatabase,
  signal: AbortSignal | undefined,
): Promise<CheckResult> {
  const names = await client.rows(
    "SELECT name FROM system.tables WHERE database = currentDatabase() AND (engine LIKE '%MergeTree' OR engine = 'Distributed') ORDER BY name",
    {},
    { signal },
  );
  const count = async (table: string) => {
    const [counted] = await client.rows(`SELECT count() FROM ${table} WHERE NOT ignore(*)`, {}, { signal });
    return counted?.[0];
  };
  return readTables(
    names.map(([name]) => String(name)),
    count,
  );
}
