import type { ClickHouse } from "../client.ts";
import { TABLE_NAMES } from "../insert/tables.ts";
import { MOST_NAMED } from "../visible.ts";

/** The deletion is done when the promise resolves. */
const DELETION = { lightweight_deletes_sync: "2" } as const;

/** Deletes all records of loads. */
export async function deleteLoads(client: ClickHouse, loads: readonly bigint[]): Promise<void> {
  for (let at = 0; at < loads.length; at += MOST_NAMED) {
    const some = loads.slice(at, at + MOST_NAMED);
    for (const table of TABLE_NAMES)
      await deleteWhere(client, table, "load IN {some: Array(UInt64)}", { some });
  }
}

/** Deletes records where there are any; returns how many there were. */
export async function deleteWhere(
  client: ClickHouse,
  table: string,
  condition: string,
  bound: Parameters<ClickHouse["rows"]>[1],
): Promise<number> {
  const [found] = await client.rows(`SELECT count() FROM ${table} WHERE ${condition}`, bound);
  const count = Number(found?.[0]);
  if (count > 0) await client.run(`DELETE FROM ${table} WHERE ${condition}`, bound, { settings: DELETION });
  return count;
}
