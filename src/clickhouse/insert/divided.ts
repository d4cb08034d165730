import { SPREAD_BY } from "../server/shards.ts";
import type { BinaryValue } from "./row-binary.ts";

/** Columns of records of a table; those that are left out are 0, empty or null. */
export type Records = Readonly<Record<string, ArrayLike<BinaryValue>>>;

/** Some of the records that were added. */
export interface Some {
  readonly length: number;
  readonly records: Records;
}

/** Divides records of a table among shards, in their order; shards that get none are left out. */
export function divided(
  table: string,
  length: number,
  records: Records,
  shards: number,
): readonly (readonly [shard: number, some: Some])[] {
  if (length === 0) return [];
  if (shards === 1) return [[0, { length, records }]];
  const keys = records[SPREAD_BY.get(table) ?? ""] ?? [];
  const places: number[][] = Array.from({ length: shards }, () => []);
  for (let i = 0; i < length; i++) places[shardOf(keys[i], shards)]?.push(i);
  return places.flatMap((own, shard) =>
    own.length === 0 ? [] : [[shard, { length: own.length, records: picked(records, own) }] as const],
  );
}

function shardOf(key: BinaryValue | undefined, shards: number): number {
  if (typeof key !== "bigint") throw new TypeError("a record of a table that is spread has no key");
  return Number(key % BigInt(shards));
}

function picked(records: Records, places: readonly number[]): Records {
  return Object.fromEntries(
    Object.entries(records).map(([name, values]) => [name, places.map((i) => values[i] ?? null)]),
  );
}
