import { StoreError } from "../../errors.ts";
import type { ClickHouse } from "../server/client.ts";
import { hasNumber } from "../server/server-faults.ts";
import { holdersOf, type Servers, SPREAD_BY } from "../server/shards.ts";
import { type BinaryValue, createRowEncoder } from "./row-binary.ts";
import { columnsOf, type TableName } from "./tables.ts";

/** What one load writes. Records wait until there are many of their table. */
export interface Outbox {
  readonly load: bigint;
  /** Adds records to a table. */
  readonly add: (table: TableName, length: number, records: Records) => void;
  /** Sends what waits; of these tables alone where they are given. */
  readonly flush: (tables?: readonly TableName[]) => Promise<void>;
  /**
   * Begins to send what waits of tables that have many, once what it sent before is stored. What fails rejects the next
   * call or `flush`.
   */
  readonly flushMany: () => Promise<void>;
  /** How many records were added, by table and shard. */
  readonly sent: ReadonlyMap<TableName, readonly number[]>;
}

/** Records of a table for one shard. */
interface Waiting {
  readonly table: TableName;
  readonly holder: ClickHouse;
  records: number;
  bytes: number;
  pieces: Uint8Array[];
}

/**
 * Of a table, on all shards together. The server merges twice as large blocks half as often, for 15 instead of 19 us of
 * it a call.
 */
const MOST_RECORDS = 131_072;
const MOST_BYTES = 32 * 1024 * 1024;
const ATTEMPTS = 4;
/** Stored, but it is not known on how many replicas. */
const UNKNOWN_STATUS = 319;

/** `begin` is called before anything is sent; it rejects where the load may have been given up by others. */
export function createOutbox(servers: Servers, load: bigint, begin: () => Promise<void>): Outbox {
  const waiting = new Map<string, Waiting>();
  const [sent, blocks] = [new Map<TableName, number[]>(), new Map<string, number>()];
  const encode = createEncoder();
  let sending: Promise<unknown> = Promise.resolve();
  const send = async ([name, { holder, table, pieces }]: readonly [string, Waiting]) => {
    waiting.delete(name);
    const block = (blocks.get(name) ?? 0) + 1;
    blocks.set(name, block);
    await begin();
    await insertOnce(holder, table, pieces, `${load}/${name}/${block}`);
  };
  return {
    load,
    sent,
    add: (table, length, given) => {
      const records = { ...given, load: Array.from({ length }, () => load) };
      const holders = holdersOf(servers, table);
      const counts = sent.get(table) ?? holders.map(() => 0);
      for (const [shard, some] of divided(table, length, records, holders.length)) {
        const holder = holders[shard] ?? servers.client;
        addPiece(waiting, { table, holder, shard }, some.length, encode(table, some));
        counts[shard] = (counts[shard] ?? 0) + some.length;
        sent.set(table, counts);
      }
    },
    flush: async (tables) => {
      await sending;
      await Promise.all(
        [...waiting].filter(([, { table }]) => tables === undefined || tables.includes(table)).map(send),
      );
    },
    flushMany: async () => {
      await sending;
      const many = [...waiting].filter(([, one]) => isMany(one, servers.shards.length));
      sending = Promise.all(many.map(send));
      sending.catch(() => undefined);
    },
  };
}

function isMany({ records, bytes }: Waiting, shards: number): boolean {
  return records * shards >= MOST_RECORDS || bytes * shards >= MOST_BYTES;
}

function addPiece(
  waiting: Map<string, Waiting>,
  { table, holder, shard }: Pick<Waiting, "table" | "holder"> & { readonly shard: number },
  length: number,
  piece: Uint8Array,
): void {
  const name = `${table}/${shard}`;
  const one = waiting.get(name) ?? { table, holder, records: 0, bytes: 0, pieces: [] };
  waiting.set(name, one);
  one.records += length;
  one.bytes += piece.byteLength;
  one.pieces.push(piece);
}

/** Encodes records of tables, with all of their columns in order. */
export function createEncoder(): (table: string, some: Some) => Uint8Array {
  const encodeRows = createRowEncoder();
  return (table, { length, records }) => {
    const columns = columnsOf(table).map(({ name, type }) => ({ type, values: records[name] ?? [] }));
    return encodeRows(columns, length);
  };
}

/**
 * Inserts a block of encoded records. The server stores a block of one token once, so what was not answered is sent
 * again.
 */
export async function insertOnce(
  client: ClickHouse,
  table: string,
  pieces: readonly Uint8Array[],
  token: string,
): Promise<void> {
  const columns = columnsOf(table).map(({ name }) => name);
  for (let attempt = 1; ; attempt++) {
    try {
      await client.insert(table, columns, pieces, {
        settings: { insert_deduplicate: 1, insert_deduplication_token: token },
      });
      return;
    } catch (error) {
      const isLost =
        hasNumber(error, UNKNOWN_STATUS) || (error instanceof StoreError && error.code === "unreachable");
      if (!isLost || attempt === ATTEMPTS) throw error;
    }
  }
}

/**
 * Compares what each server holds of a load with what it was sent: an insert may be accepted and stored nowhere. Throws
 * `StoreError` `incomplete_load`.
 */
export async function checkStored(servers: Servers, { load, sent }: Outbox): Promise<void> {
  const wanted = new Map<ClickHouse, Map<TableName, number>>();
  for (const [table, counts] of sent)
    for (const [shard, holder] of holdersOf(servers, table).entries()) {
      const count = counts[shard] ?? 0;
      if (count > 0) wanted.set(holder, (wanted.get(holder) ?? new Map()).set(table, count));
    }
  await Promise.all(Array.from(wanted, ([holder, counts]) => checkHeld(holder, load, counts)));
}

async function checkHeld(
  holder: ClickHouse,
  load: bigint,
  wanted: ReadonlyMap<TableName, number>,
): Promise<void> {
  const counts = Array.from(
    wanted.keys(),
    (table) => `SELECT '${table}', count() FROM ${table} WHERE load = {load: UInt64}`,
  );
  const found = await holder.rows(counts.join(" UNION ALL "), { load });
  const stored = new Map(found.map(([table, count]) => [String(table), Number(count)]));
  for (const [table, count] of wanted) {
    const has = stored.get(table);
    if (count === has) continue;
    throw new StoreError(
      "incomplete_load",
      `${table}: the server holds ${has} of ${count} records of this load, which is not stored; look into the server's log, and load it again`,
    );
  }
}

/** Columns of records of a table; those that are left out are 0, empty or null. */
export type Records = Readonly<Record<string, ArrayLike<BinaryValue>>>;

/** Some of the records that were added. */
interface Some {
  readonly length: number;
  readonly records: Records;
}

/** Divides records of a table among shards, in their order; shards that get none are left out. */
function divided(
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
