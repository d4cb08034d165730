import type { ClickHouse } from "./client.ts";

/** The servers of a database. */
export interface Servers {
  /** Reads every table, and stores those that are not spread. */
  readonly client: ClickHouse;
  /** Each stores its part of the tables that are spread; the client alone where there is one server. */
  readonly shards: readonly ClickHouse[];
}

/**
 * The tables that are spread over shards, with the key whose remainder says which shard has a record: all of a row is
 * on one, all records of a trial and its children, and all that a call was made of them. Of `gone` it is the row of the
 * version that ends.
 */
export const SPREAD_BY: ReadonlyMap<string, "row_key" | "group_key" | "call_key"> = new Map([
  ["fragments", "group_key"],
  ["call_groups", "group_key"],
  ["merged_calls", "call_key"],
  ["trials", "row_key"],
  ["trial_texts", "row_key"],
  ["scores", "row_key"],
  ["null_scores", "row_key"],
  ["errored_trials", "row_key"],
  ["rows", "row_key"],
  ["row_digests", "row_key"],
  ["gone", "row_key"],
]);

/** The servers that store a table, by shard. */
export function holdersOf({ client, shards }: Servers, table: string): readonly ClickHouse[] {
  return SPREAD_BY.has(table) ? shards : [client];
}

/** The database in which each shard has its part; on the first one it is beside the database itself. */
export function partsDatabase(database: string): string {
  return `${database}_shard`;
}
