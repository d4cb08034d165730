import type { Bound } from "../server/client.ts";
import { TABLE_NAMES } from "../insert/tables.ts";
import { holdersOf, type Servers } from "../server/shards.ts";
import { MOST_NAMED } from "../lookup/visible.ts";

/** The deletion is done when the promise resolves. */
const DELETION = { lightweight_deletes_sync: "2" } as const;

/** Deletes all records of loads. */
export async function deleteLoads(servers: Servers, loads: readonly bigint[]): Promise<void> {
  for (let at = 0; at < loads.length; at += MOST_NAMED) {
    const some = loads.slice(at, at + MOST_NAMED);
    for (const table of TABLE_NAMES)
      await deleteWhere(servers, table, "load IN {some: Array(UInt64)}", { some });
  }
}

/** Deletes records where there are any, on each server that has the table; returns how many there were. */
export async function deleteWhere(
  servers: Servers,
  table: string,
  condition: string,
  bound: Bound,
): Promise<number> {
  let all = 0;
  for (const holder of holdersOf(servers, table)) {
    const [found] = await holder.rows(`SELECT count() FROM ${table} WHERE ${condition}`, bound);
    const count = Number(found?.[0]);
    if (count > 0) await holder.run(`DELETE FROM ${table} WHERE ${condition}`, bound, { settings: DELETION });
    all += count;
  }
  return all;
}
