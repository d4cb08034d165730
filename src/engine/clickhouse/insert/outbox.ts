import { StoreError } from "../../../errors.ts";
import type { ClickHouse } from "../client.ts";
import { encodeRows, type BinaryValue } from "./row-binary.ts";
import { TABLES, type TableName } from "./tables.ts";

/** Columns of records of a table; those that are left out are 0, empty or null. */
export type Records = Readonly<Record<string, ArrayLike<BinaryValue>>>;

/** What one load writes. Records wait until there are many of their table. */
export interface Outbox {
  readonly load: bigint;
  /** Adds records to a table. */
  readonly add: (table: TableName, length: number, records: Records) => void;
  /** Sends what waits; of these tables alone where they are given. */
  readonly flush: (tables?: readonly TableName[]) => Promise<void>;
  /** Begins to send what waits of tables that have many, once what it sent before is stored. What fails rejects the next call or `flush`. */
  readonly flushMany: () => Promise<void>;
  /** How many records were added, by table. */
  readonly sent: ReadonlyMap<TableName, number>;
}

interface Waiting {
  records: number;
  bytes: number;
  pieces: Uint8Array[];
}

const MOST_RECORDS = 65_536;
const MOST_BYTES = 4 * 1024 * 1024;
const ATTEMPTS = 4;

/** `begin` is called before anything is sent; it rejects where the load may have been given up by others. */
export function createOutbox(client: ClickHouse, load: bigint, begin: () => Promise<void>): Outbox {
  const waiting = new Map<TableName, Waiting>();
  const [sent, blocks] = [new Map<TableName, number>(), new Map<TableName, number>()];
  let sending: Promise<unknown> = Promise.resolve();
  const send = async (table: TableName) => {
    const one = waiting.get(table);
    if (one === undefined) return;
    waiting.delete(table);
    const block = (blocks.get(table) ?? 0) + 1;
    blocks.set(table, block);
    await begin();
    await insertOnce(client, table, Object.keys(TABLES[table]), one.pieces, `${load}/${table}/${block}`);
  };
  return {
    load,
    sent,
    add: (table, length, records) => {
      if (length === 0) return;
      const piece = encode(table, load, length, records);
      const one = waiting.get(table) ?? { records: 0, bytes: 0, pieces: [] };
      waiting.set(table, one);
      one.records += length;
      one.bytes += piece.byteLength;
      one.pieces.push(piece);
      sent.set(table, (sent.get(table) ?? 0) + length);
    },
    flush: async (tables) => {
      await sending;
      await Promise.all((tables ?? [...waiting.keys()]).map(send));
    },
    flushMany: async () => {
      await sending;
      const many = [...waiting].filter(
        ([, { records, bytes }]) => records >= MOST_RECORDS || bytes >= MOST_BYTES,
      );
      sending = Promise.all(many.map(([table]) => send(table)));
      sending.catch(() => undefined);
    },
  };
}

function encode(table: TableName, load: bigint, length: number, records: Records): Uint8Array {
  const loads = Array.from({ length }, () => load);
  const columns = Object.entries(TABLES[table]).map(([name, type]) => ({
    type,
    values: name === "load" ? loads : (records[name] ?? []),
  }));
  return encodeRows(columns, length);
}

/** Inserts a block. The server stores a block of one token once, so what was not answered is sent again. */
export async function insertOnce(
  client: ClickHouse,
  table: string,
  columns: readonly string[],
  pieces: readonly Uint8Array[],
  token: string,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.insert(table, columns, pieces, {
        settings: { insert_deduplicate: 1, insert_deduplication_token: token },
      });
      return;
    } catch (error) {
      const isLost = error instanceof StoreError && error.code === "unreachable";
      if (!isLost || attempt === ATTEMPTS) throw error;
    }
  }
}

/**
 * Compares what the server holds of a load with what was sent: an insert may be accepted and stored nowhere. Throws `StoreError`
 * `incomplete_load`.
 */
export async function checkStored(client: ClickHouse, { load, sent }: Outbox): Promise<void> {
  if (sent.size === 0) return;
  const tables = [...sent.keys()];
  const counts = tables.map(
    (table) => `SELECT '${table}', count() FROM ${table} WHERE load = {load: UInt64}`,
  );
  const found = await client.rows(counts.join(" UNION ALL "), { load });
  const stored = new Map(found.map(([table, count]) => [String(table), Number(count)]));
  for (const table of tables) {
    const [wanted, has] = [sent.get(table), stored.get(table)];
    if (wanted === has) continue;
    throw new StoreError(
      "incomplete_load",
      `${table}: the server holds ${has} of ${wanted} records of this load, which is not stored; look into the server's log, and load it again`,
    );
  }
}
