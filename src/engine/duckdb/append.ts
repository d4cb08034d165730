import {
  BIGINT,
  BLOB,
  blobValue,
  BOOLEAN,
  DOUBLE,
  DuckDBDataChunk,
  INTEGER,
  UBIGINT,
  UTINYINT,
  VARCHAR,
  type DuckDBConnection,
  type DuckDBType,
  type DuckDBVector,
} from "@duckdb/node-api";
import { nextTurn } from "../../model/next-turn.ts";
import type { Column } from "../../model/session.ts";
import type { SqlType } from "../../model/sql.ts";

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
  const bytes = columns.map(hasNul);
  const raw = bytes.includes(true) ? `${name}_bytes` : name;
  const list = columns.map((column, i) => `${column.name} ${bytes[i] === true ? "BLOB" : column.type}`);
  await connection.run(`CREATE OR REPLACE TEMP TABLE ${raw} (${list.join(", ")})`);
  await appendColumns(connection, raw, columns, bytes);
  if (raw === name) return;
  const decoded = columns.map(({ name: column }, i) =>
    bytes[i] === true ? `decode(${column}) AS ${column}` : column,
  );
  await connection.run(`CREATE OR REPLACE TEMP TABLE ${name} AS SELECT ${decoded.join(", ")} FROM ${raw}`);
}

/** The client hands texts on as C strings, which end at U+0000; such columns travel as bytes. */
function hasNul(column: Column): boolean {
  if (column.type !== "VARCHAR") return false;
  for (let i = 0; i < column.values.length; i++) {
    const value = column.values[i];
    if (typeof value === "string" && value.includes("\0")) return true;
  }
  return false;
}

const CHUNK_SIZE = 2048;

/** Appends columns to a temporary table, a chunk at a time, giving way to the event loop between chunks. */
async function appendColumns(
  connection: DuckDBConnection,
  table: string,
  columns: readonly Column[],
  bytes: readonly boolean[],
): Promise<void> {
  const length = columns[0]?.values.length ?? 0;
  const types = columns.map((column, i) => (bytes[i] === true ? BLOB : DUCKDB_TYPES[column.type]));
  const appender = await connection.createAppender(table, null, "temp");
  const chunk = DuckDBDataChunk.create(types);
  for (let from = 0; from < length; from += CHUNK_SIZE) {
    const count = Math.min(CHUNK_SIZE, length - from);
    chunk.reset();
    chunk.rowCount = count;
    for (const [c, column] of columns.entries())
      fillVector(chunk.getColumnVector(c), column, from, count, bytes[c] === true);
    appender.appendDataChunk(chunk);
    if (from + CHUNK_SIZE < length) await nextTurn();
  }
  appender.closeSync();
}

function fillVector(
  vector: DuckDBVector,
  column: Column,
  from: number,
  count: number,
  asBytes: boolean,
): void {
  const { values, type } = column;
  for (let i = 0; i < count; i++) {
    const value = values[from + i] ?? null;
    if (value === null) vector.setItem(i, null);
    else if (value instanceof Uint8Array) vector.setItem(i, blobValue(value));
    else if (asBytes) vector.setItem(i, blobValue(Buffer.from(String(value), "utf8")));
    else vector.setItem(i, type === "BIGINT" ? BigInt(value) : value);
  }
  vector.flush();
}
