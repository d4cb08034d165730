import { randomBytes } from "node:crypto";
import type { Column, RecordTable } from "../../store/session.ts";
import type { ClickHouse } from "../server/client.ts";
import { clickHouseDocument } from "../insert/clickhouse-document.ts";
import { createEncoder, insertOnce } from "../insert/outbox.ts";
import type { BinaryValue } from "../insert/row-binary.ts";

/** Records that one piece of work adds; nobody sees them before they are sent. */
export interface Batch {
  readonly add: (table: RecordTable, columns: readonly Column[]) => void;
  readonly isEmpty: () => boolean;
  /** Inserts what was added, each table at once, in the order in which the tables were first named. */
  readonly send: () => Promise<void>;
  /** Deletes what was sent. */
  readonly takeBack: () => Promise<void>;
}

export function createBatch(client: ClickHouse): Batch {
  const number = randomBytes(8).readBigUInt64LE();
  const pieces = new Map<RecordTable, Uint8Array[]>();
  return {
    add: (table, columns) => {
      if (lengthOf(columns) === 0) return;
      const before = pieces.get(table) ?? [];
      pieces.set(table, [...before, encoded(table, columns, number)]);
    },
    isEmpty: () => pieces.size === 0,
    send: async () => {
      for (const [table, bytes] of pieces) await insertOnce(client, table, bytes, `${number}/${table}`);
    },
    takeBack: async () => {
      for (const table of pieces.keys())
        await client.run(`DELETE FROM ${table} WHERE batch = {number: UInt64}`, { number }, DURABLE);
    },
  };
}

/** A delete is over when all replicas have it. */
export const DURABLE = { settings: { lightweight_deletes_sync: "2" } } as const;

function encoded(table: RecordTable, columns: readonly Column[], batch: bigint): Uint8Array {
  const length = lengthOf(columns);
  const given: Record<string, ArrayLike<BinaryValue>> = { batch: Array.from({ length }, () => batch) };
  for (const { name, values } of columns) given[name] = values;
  if (table === "feedback")
    given["content_doc"] = Array.from(given["content"] ?? [], (text) => clickHouseDocument(String(text)));
  return createEncoder()(table, { length, records: given });
}

function lengthOf(columns: readonly Column[]): number {
  return columns[0]?.values.length ?? 0;
}
