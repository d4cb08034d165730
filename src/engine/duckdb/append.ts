import {
  BIGINT,
  BLOB,
  BOOLEAN,
  DOUBLE,
  DuckDBDataChunk,
  INTEGER,
  UBIGINT,
  UTINYINT,
  VARCHAR,
  type DuckDBConnection,
  type DuckDBType,
} from "@duckdb/node-api";
import { nextTurn } from "../../model/next-turn.ts";
import type { Column } from "../../model/session.ts";
import type { SqlType } from "../../model/sql.ts";
import { bindings } from "./columns/bindings.ts";
import { fillVector } from "./fill-vector.ts";

export const DUCKDB_TYPES: Readonly<Record<SqlType, DuckDBType>> = {
  INTEGER,
  BIGINT,
  UBIGINT,
  UTINYINT,
  DOUBLE,
  BOOLEAN,
  VARCHAR,
  BLOB,
};

/** Makes `columns` the temporary table `name`. */
export async function loadTable(
  connection: DuckDBConnection,
  name: string,
  columns: readonly Column[],
): Promise<void> {
  const list = columns.map((column) => `${column.name} ${column.type}`);
  await connection.run(`CREATE OR REPLACE TEMP TABLE ${name} (${list.join(", ")})`);
  await appendColumns(connection, name, columns);
}

const CHUNK_SIZE = 2048;

/** Appends columns to a temporary table, a chunk at a time, giving way to the event loop between chunks. */
async function appendColumns(
  connection: DuckDBConnection,
  table: string,
  columns: readonly Column[],
): Promise<void> {
  const length = columns[0]?.values.length ?? 0;
  const appender = await connection.createAppender(table, null, "temp");
  const chunk = DuckDBDataChunk.create(columns.map(({ type }) => DUCKDB_TYPES[type]));
  for (let from = 0; from < length; from += CHUNK_SIZE) {
    const count = Math.min(CHUNK_SIZE, length - from);
    chunk.reset();
    chunk.rowCount = count;
    for (const [c, column] of columns.entries())
      fillVector(bindings.data_chunk_get_vector(chunk.chunk, c), column, from, count);
    appender.appendDataChunk(chunk);
    if (length > CHUNK_SIZE) await nextTurn();
  }
  appender.closeSync();
}
