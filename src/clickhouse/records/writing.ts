import { randomBytes } from "node:crypto";
import { StoreError, UnsupportedError } from "../../errors.ts";
import { identifier, sql, text } from "../../store/sql.ts";
import type {
  Column,
  RecordSession,
  RecordTable,
  Session,
  Store,
  Write,
  Writing,
} from "../../store/session.ts";
import type { WriteQueue } from "../../flow/tasks.ts";
import type { ClickHouseDatabase } from "../open/open-database.ts";
import type { ClickHouse } from "../server/client.ts";
import { clickHouseDocument } from "../insert/clickhouse-document.ts";
import { createEncoder, insertOnce } from "../insert/outbox.ts";
import type { BinaryValue } from "../insert/row-binary.ts";

/** What writing records needs. */
interface RecordWriting {
  readonly database: ClickHouseDatabase;
  readonly read: Store["read"];
  readonly closing: AbortSignal;
  readonly writes: WriteQueue;
}

/** Writes records beside evaluations: one turn at a time in this process, beside those of others. */
export function createRecords(writing: RecordWriting): Writing<RecordSession> {
  const { database, closing, writes } = writing;
  const write: Write<RecordSession> = (work, signal) => writeUntilFound(writing, work, signal);
  return {
    closing,
    inTurn: async (turn) => {
      closing.throwIfAborted();
      if (database.readOnly)
        throw new StoreError("read_only", `${database.name}: opened readOnly; nothing can be stored`);
      return writes.add(() => turn(write));
    },
  };
}

/**
 * Inserts are not undone by others, so work that found an identity free may come second. Once what it claims is stored,
 * it runs again: it finds what was stored first, and adds nothing more.
 */
async function writeUntilFound<T>(
  { database, read }: RecordWriting,
  work: (session: RecordSession) => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  const sent: Batch[] = [];
  try {
    for (;;) {
      const batch = createBatch(database.client);
      let hasClaims = false;
      const claimed = () => {
        hasClaims = true;
      };
      const result = await read((session) => work(recordSession(session, database, batch, claimed)), signal);
      if (batch.isEmpty()) return result;
      sent.push(batch);
      await batch.send();
      if (!hasClaims) return result;
    }
  } catch (error) {
    // Where the server is not reached, it may stay: nobody was told that it is stored.
    for (const batch of sent) await batch.takeBack().catch(() => undefined);
    throw error;
  }
}

function recordSession(
  session: Session,
  database: ClickHouseDatabase,
  { add }: Batch,
  claimed: () => void,
): RecordSession {
  return {
    ...session,
    add: async (table, columns) => add(table, columns),
    claim: async (table, columns) => {
      claimed();
      add(table, columns);
    },
    renew: async (version) => add("object_versions", version),
    remove: (...which) => removeRecords(session, database, ...which),
    erase: (table) => {
      const message = `${table}: ClickHouse does not delete records together with what is written in their place; use a database in a file`;
      throw new UnsupportedError("erase", message);
    },
  };
}

/** By id: later records of an id, which nobody sees, go with the first one. */
async function removeRecords(
  session: Session,
  { client }: ClickHouseDatabase,
  ...[table, project, where]: Parameters<RecordSession["remove"]>
): Promise<number> {
  const found = await session.rows(
    sql`SELECT id FROM ${identifier(table)} WHERE project_id = ${text(project)} AND ${where}`,
  );
  for (let at = 0; at < found.length; at += REMOVED_AT_ONCE) {
    const ids = found.slice(at, at + REMOVED_AT_ONCE).map(([id]) => String(id));
    await client.run(
      `DELETE FROM ${table} WHERE project_id = {project: String} AND id IN {ids: Array(String)}`,
      { project, ids },
      DURABLE,
    );
  }
  return found.length;
}

/** An id has 512 bytes at most, and a value of a request 128 KiB. */
const REMOVED_AT_ONCE = 200;

type Batch = ReturnType<typeof createBatch>;

/** Records that one piece of work adds; nobody sees them before they are sent. */
function createBatch(client: ClickHouse) {
  const number = randomBytes(8).readBigUInt64LE();
  const pieces = new Map<RecordTable, Uint8Array[]>();
  return {
    add: (table: RecordTable, columns: readonly Column[]) => {
      if (lengthOf(columns) === 0) return;
      const before = pieces.get(table) ?? [];
      pieces.set(table, [...before, encoded(table, columns, number)]);
    },
    isEmpty: () => pieces.size === 0,
    /** Inserts what was added, each table at once, in the order in which the tables were first named. */
    send: async () => {
      for (const [table, bytes] of pieces) await insertOnce(client, table, bytes, `${number}/${table}`);
    },
    /** Deletes what was sent. */
    takeBack: async () => {
      for (const table of pieces.keys())
        await client.run(`DELETE FROM ${table} WHERE batch = {number: UInt64}`, { number }, DURABLE);
    },
  };
}

/** A delete is over when all replicas have it. */
const DURABLE = { settings: { lightweight_deletes_sync: "2" } } as const;

function encoded(table: RecordTable, columns: readonly Column[], batch: bigint): Uint8Array {
  const length = lengthOf(columns);
  const given: Record<string, ArrayLike<BinaryValue>> = { batch: Array.from({ length }, () => batch) };
  for (const { name, values } of columns) given[name] = values;
  if (table === "feedback")
    given["content_doc"] = Array.from(given["content"] ?? [], (one) => clickHouseDocument(String(one)));
  return createEncoder()(table, { length, records: given });
}

function lengthOf(columns: readonly Column[]): number {
  return columns[0]?.values.length ?? 0;
}
