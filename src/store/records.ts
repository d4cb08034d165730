import { createGroupCommit, type GroupCommit, type Ready } from "./group-commit.ts";
import type { Column, RecordSession, RecordStore, Session } from "./session.ts";
import { statement, type Sql } from "./sql.ts";

/** Runs `work` when all earlier writes have ended; what it adds is durable when the promise resolves. */
export function writeRecords<T>(
  { records }: RecordStore,
  work: (session: RecordSession) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  return records.inTurn((write) => write(work, signal));
}

/** The texts of one record as columns. */
export function textColumns(record: Readonly<Record<string, string | null>>): Column[] {
  return Object.entries(record).map(([name, value]) => ({ name, type: "VARCHAR", values: [value] }));
}

/** Writes records that wait at the same time in one transaction, in their order; `write` returns a result for each. */
export function createRecordGroup<Item, Result>(
  { records }: RecordStore,
  bytesOf: (item: Item) => number,
  write: (session: RecordSession, items: readonly Item[]) => Promise<readonly Result[]>,
): GroupCommit<Item, Result> {
  return createGroupCommit<Item, Ready & { readonly item: Item }, Result, RecordSession>(records, {
    prepare: (item) => Promise.resolve({ item, records: 1, bytes: bytesOf(item), alone: false }),
    write: async (session, queued) => {
      const items = queued.map(({ item }) => item);
      return (await write(session, items)).map((value) => ({ value }));
    },
  });
}

/** The bytes of the one column of the first record of a query; null without a record. */
export async function readBytes(session: Session, query: Sql): Promise<Uint8Array | null> {
  const found = await session.vectors(statement(query, session.dialect));
  for await (const { columns } of found.batches) {
    await session.turns.take();
    const { bytes, offsets } = columns[0] ?? {};
    if (bytes != null && offsets != null) return bytes.slice(offsets[0], offsets[1]);
    if (offsets != null) return new Uint8Array();
  }
  return null;
}

/** The wall-clock time in microseconds since 1970. */
export function now(): bigint {
  return BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000));
}
