import { DuckDBTypeId, type DuckDBDataChunk, type DuckDBResult } from "@duckdb/node-api";
import type { ColumnChunk } from "../../../store/columns.ts";
import type { Turns } from "../../../model/turns.ts";
import { bindings, type Vector } from "../native/bindings.ts";
import { ChunkTexts } from "./chunk-texts.ts";
import { discard } from "./free-buffers.ts";
import { dataOf } from "./gatherer.ts";
import { TEXT_BYTES } from "../native/string-layout.ts";
import { isValid, validityOf } from "../native/validity.ts";

/** The result a chunk at a time, as DuckDB makes it: one chunk is fetched while the one before is read. */
export async function* chunkStream(
  result: DuckDBResult,
  failure: (error: unknown) => unknown,
  whole: () => Promise<void>,
  turns: Turns,
  signal: AbortSignal | undefined,
): AsyncGenerator<ColumnChunk, void, undefined> {
  const columns = result.columnTypes().map(({ typeId }, i) => ({ typeId, name: result.columnName(i) }));
  let next = result.fetchChunk();
  try {
    for (;;) {
      const chunk = await next.catch((error: unknown) => Promise.reject(failure(error)));
      // What was interrupted may look as if it had come to its end.
      signal?.throwIfAborted();
      if (chunk === null || chunk.rowCount === 0) return await whole();
      next = result.fetchChunk();
      await turns.take();
      const open = openChunk(chunk, columns);
      try {
        yield open.chunk;
      } finally {
        open.close();
      }
    }
  } finally {
    await next.catch(() => undefined);
  }
}

interface ChunkField {
  readonly typeId: DuckDBTypeId;
  readonly name: string;
}

/** DuckDB's memory is read when a column is asked for, which must not be after it was given back. */
function openChunk(
  chunk: DuckDBDataChunk,
  fields: readonly ChunkField[],
): { readonly chunk: ColumnChunk; readonly close: () => void } {
  const length = chunk.rowCount;
  const texts: ChunkTexts[] = [];
  const copies: ArrayBuffer[] = [];
  let closed = false;
  const vectorOf = (column: number, ...types: readonly DuckDBTypeId[]): Vector => {
    if (closed) throw new TypeError("a chunk is read after the next one was asked for");
    const { typeId, name } = fields[column] ?? {};
    if (typeId === undefined || !types.includes(typeId))
      throw new TypeError(
        `column ${column}, ${name}, is no ${types.map((type) => DuckDBTypeId[type]).join(" or ")}`,
      );
    return bindings.data_chunk_get_vector(chunk.chunk, column);
  };
  const copied = <Copy extends Uint8Array<ArrayBuffer> | null>(copy: Copy): Copy => {
    if (copy !== null) copies.push(copy.buffer);
    return copy;
  };
  return {
    chunk: {
      length,
      integers: (column) => {
        const vector = vectorOf(column, DuckDBTypeId.INTEGER);
        if (hasNull(copied(validityOf(vector, length)), length))
          throw new TypeError(`column ${column}, ${fields[column]?.name}, has a null`);
        const bytes = copied(dataOf(vector, length * 4));
        return new Int32Array(bytes.buffer, bytes.byteOffset, length);
      },
      doubles: (column) => {
        const vector = vectorOf(column, DuckDBTypeId.DOUBLE);
        const bytes = copied(dataOf(vector, length * 8));
        const values = new Float64Array(bytes.buffer, bytes.byteOffset, length);
        return { values, validity: copied(validityOf(vector, length)) };
      },
      texts: (column, memory, from = 0, to = length) => {
        const vector = vectorOf(column, DuckDBTypeId.VARCHAR, DuckDBTypeId.BLOB);
        texts[column] ??= new ChunkTexts(
          copied(dataOf(vector, length * TEXT_BYTES)),
          copied(validityOf(vector, length)),
        );
        return texts[column].read(memory, from, to);
      },
    },
    close: () => {
      closed = true;
      // Its texts would be held until the garbage collector finds the chunk.
      chunk.reset();
      discard(copies);
    },
  };
}

function hasNull(validity: Uint8Array | null, length: number): boolean {
  if (validity === null) return false;
  for (let i = 0; i < length; i++) if (!isValid(validity, i)) return true;
  return false;
}
