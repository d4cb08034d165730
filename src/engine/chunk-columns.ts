import type { ChunkTexts, ColumnChunk } from "../model/columns.ts";

export function integersOf(chunk: ColumnChunk, index: number): Int32Array {
  const column = chunk.columns[index];
  if (column?.kind !== "integers") throw new TypeError(`column ${index} has no integers`);
  return column.values;
}

export function textsOf(chunk: ColumnChunk, index: number): ChunkTexts {
  const column = chunk.columns[index];
  if (column?.kind !== "texts") throw new TypeError(`column ${index} has no texts`);
  return column;
}

/** The texts of a column as strings. */
export function stringsOf(chunk: ColumnChunk, index: number): (string | null)[] {
  const { bytes, starts, lengths } = textsOf(chunk, index);
  const letters = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from(lengths, (length, i) => {
    const start = starts[i] ?? 0;
    return length < 0 ? null : letters.toString("utf8", start, start + length);
  });
}
