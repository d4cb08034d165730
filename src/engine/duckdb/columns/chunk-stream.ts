import { DuckDBTypeId, type DuckDBResult } from "@duckdb/node-api";
import type { ChunkColumn, ColumnChunk } from "../../../model/columns.ts";
import type { Turns } from "../../../model/turns.ts";
import { bindings, type Vector } from "./bindings.ts";
import { ChunkTextReader } from "./chunk-texts.ts";
import { dataOf, EXPECTED_ROWS } from "./gatherer.ts";
import { isValid, validityOf } from "./validity.ts";

type ColumnReader = (vector: Vector, count: number) => ChunkColumn;

/**
 * The result a chunk at a time, as DuckDB makes it, in memory that is used again: one chunk is fetched while the one
 * before is read. For columns of INTEGER without nulls, DOUBLE, VARCHAR and BLOB.
 */
export async function* chunkStream(
  result: DuckDBResult,
  failure: (error: unknown) => unknown,
  whole: () => Promise<void>,
  turns: Turns,
  signal: AbortSignal | undefined,
): AsyncGenerator<ColumnChunk, void, undefined> {
  const names = result.columnNames();
  const readers = result.columnTypes().map(({ typeId }, i) => columnReader(typeId, names[i] ?? ""));
  let next = result.fetchChunk();
  try {
    for (;;) {
      const chunk = await next.catch((error: unknown) => Promise.reject(failure(error)));
      // What was interrupted may look as if it had come to its end.
      signal?.throwIfAborted();
      if (chunk === null || chunk.rowCount === 0) return await whole();
      next = result.fetchChunk();
      const { rowCount: length } = chunk;
      await turns.take();
      const columns = readers.map((read, i) => read(bindings.data_chunk_get_vector(chunk.chunk, i), length));
      // Its texts would be held until the garbage collector finds the chunk.
      chunk.reset();
      yield { length, columns };
    }
  } finally {
    await next.catch(() => undefined);
  }
}

function columnReader(type: DuckDBTypeId, name: string): ColumnReader {
  if (type === DuckDBTypeId.INTEGER) return integerReader(name);
  if (type === DuckDBTypeId.DOUBLE) return doubleReader();
  if (type === DuckDBTypeId.VARCHAR || type === DuckDBTypeId.BLOB) {
    const texts = new ChunkTextReader();
    return (vector, count) => texts.read(vector, count);
  }
  throw new TypeError(`column ${name} is of a type (${type}) that is not read in chunks`);
}

function integerReader(name: string): ColumnReader {
  const memory = reusedMemory(4);
  return (vector, count) => {
    const validity = validityOf(vector, count);
    for (let i = 0; i < count; i++) {
      if (!isValid(validity, i)) throw new TypeError(`column ${name} has a null`);
    }
    return { kind: "integers", values: new Int32Array(memory(vector, count).buffer, 0, count) };
  };
}

function doubleReader(): ColumnReader {
  const memory = reusedMemory(8);
  return (vector, count) => {
    const validity = validityOf(vector, count)?.slice() ?? null;
    return { kind: "doubles", values: new Float64Array(memory(vector, count).buffer, 0, count), validity };
  };
}

function reusedMemory(width: number): (vector: Vector, count: number) => Uint8Array<ArrayBuffer> {
  let bytes = new Uint8Array(EXPECTED_ROWS * width);
  return (vector, count) => {
    if (count * width > bytes.length) bytes = new Uint8Array(count * width);
    bytes.set(dataOf(vector, count * width));
    return bytes;
  };
}
