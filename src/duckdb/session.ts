import {
  DuckDBTypeId,
  type DuckDBConnection,
  type DuckDBDataChunk,
  type DuckDBMaterializedResult,
  type DuckDBType,
  type DuckDBValue,
} from "@duckdb/node-api";
import { DUCKDB } from "./dialect/dialect.ts";
import type { FileSession } from "../store/session.ts";
import type { Turns } from "../model/turns.ts";
import { StoreError } from "../errors.ts";
import type { Sql, SqlStatement, SqlValue } from "../store/sql.ts";
import { bound, queryError } from "./bound.ts";
import { textItems } from "./read/texts.ts";
import type { LoadedColumns } from "./write/loaded-table.ts";
import type { OpenStream } from "./open-stream.ts";
import { wholeText } from "../texts/whole-texts.ts";
import { columnStream } from "./read/batches.ts";

const OF_FILES = { dialect: DUCKDB, about: () => Promise.resolve() };

const failureOf =
  ({ sql }: SqlStatement) =>
  (error: unknown) =>
    queryError(error, sql);

const asItIs = (record: readonly SqlValue[]) => record;

/** What all sessions of a store have. */
export type OfStore = Required<Pick<FileSession, "mark" | "limitToOneThread">>;

/** Opens a session on a connection whose transaction has begun. */
export function openSession(
  connection: DuckDBConnection,
  stream: OpenStream,
  loaded: LoadedColumns,
  epoch: number | null,
  signal: AbortSignal | undefined,
  turns: Turns,
  inSecondSession: FileSession["inSecondSession"],
  ofStore: OfStore,
): FileSession {
  const read = async <Row>(query: Sql, readRecord: (record: readonly SqlValue[]) => Row) => {
    signal?.throwIfAborted();
    const found = await bound(query, (...args) => runOnce(connection, ...args));
    return readRows(found, turns, signal, readRecord);
  };
  const session: FileSession = {
    ...OF_FILES,
    epoch,
    turns,
    signal,
    ...ofStore,
    inSecondSession,
    all: async (query) =>
      query.whole === true
        ? readWhole(session, await read(query.sql, asItIs), query.read)
        : read(query.sql, query.read),
    rows: (query) => read(query, asItIs),
    vectors: async (query) => {
      signal?.throwIfAborted();
      const atEnd = whole(connection, query, inSecondSession);
      return columnStream(await stream.start(query), failureOf(query), atEnd, signal);
    },
    run: async (query) => {
      signal?.throwIfAborted();
      await bound(query, (...args) => connection.run(...args));
    },
    load: (name, columns) => loaded.set(connection, name, columns),
  };
  return session;
}

/** Records with whole texts. */
async function readWhole<Row>(
  session: FileSession,
  records: readonly (readonly SqlValue[])[],
  readRecord: (record: readonly SqlValue[]) => Row,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const record of records) {
    const values: SqlValue[] = [];
    for (const value of record)
      values.push(typeof value === "string" ? await wholeText(session, value) : value);
    rows.push(readRecord(values));
  }
  return rows;
}

/**
 * Rejects if a streamed result ended because its statement failed. DuckDB's client does not distinguish this from a
 * complete result; but a transaction in which a statement failed accepts no further statement. Nor does it tell why, so
 * the statement runs again, with nothing to read.
 */
function whole(
  connection: DuckDBConnection,
  { sql, params }: SqlStatement,
  inSecondSession: FileSession["inSecondSession"],
): () => Promise<void> {
  return async () => {
    const hasFailed = await connection.run("SELECT 1").then(
      () => false,
      () => true,
    );
    if (!hasFailed) return;
    try {
      await inSecondSession((other) => other.vectors({ sql: `EXPLAIN ANALYZE ${sql}`, params }));
    } catch (error) {
      // What this transaction alone has, the other one does not find.
      if (error instanceof StoreError && !/: (?:Catalog|Binder|Parser) Error/.test(error.message))
        throw error;
      throw queryError(new Error("the statement failed while its result was read"), sql);
    }
    throw new StoreError("out_of_memory", BROKEN_OFF);
  };
}

const BROKEN_OFF =
  "a statement failed while its result was read, and not when it ran again, most likely because what ran beside it took the memory that DuckDB may take: give it more (option memoryLimit; for a command EVALCUBE_MEMORY_LIMIT=4GiB), or ask for less at once";

/** Skips the client's search for further statements, and the preparation of a statement without values. */
async function runOnce(
  connection: DuckDBConnection,
  text: string,
  values: DuckDBValue[],
  types: DuckDBType[],
): Promise<DuckDBMaterializedResult> {
  if (values.length === 0) return connection.run(text);
  const prepared = await connection.prepare(text);
  try {
    prepared.bind(values, types);
    return await prepared.run();
  } finally {
    prepared.destroySync();
  }
}

/** Making values of this many records takes a fraction of a millisecond. */
const RECORDS_AT_A_TIME = 32;

async function readRows<Row>(
  result: DuckDBMaterializedResult,
  turns: Turns,
  signal: AbortSignal | undefined,
  read: (record: readonly SqlValue[]) => Row,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let i = 0; i < result.chunkCount; i++) {
    await turns.take();
    signal?.throwIfAborted();
    const chunk = result.getChunk(i);
    const columns = Array.from({ length: chunk.columnCount }, (_, column) => itemsOf(result, chunk, column));
    const areLong = columns.some((column) => column.areLong);
    // The chunk is asked each time, so that it is not freed: long texts lie in its memory until they are read.
    for (let row = 0; row < chunk.rowCount; row++) {
      if (areLong || row % RECORDS_AT_A_TIME === RECORDS_AT_A_TIME - 1) await turns.take();
      const values = areLong
        ? await Promise.all(columns.map(async ({ item }) => item(row)))
        : columns.map(({ item }) => item(row) as SqlValue);
      rows.push(read(values));
    }
  }
  return rows;
}

function itemsOf(result: DuckDBMaterializedResult, chunk: DuckDBDataChunk, column: number) {
  if (result.columnTypeId(column) === DuckDBTypeId.VARCHAR) return textItems(chunk, column);
  const vector = chunk.getColumnVector(column);
  return { item: (row: number) => vector.getItem(row) as SqlValue, areLong: false };
}
