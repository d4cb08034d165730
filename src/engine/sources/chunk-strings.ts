import { isSet } from "../../arrow/bits.ts";
import { TextBuffers } from "../../arrow/views/text-buffers.ts";
import { SHORT_TEXT, VIEW_BYTES } from "../../arrow/views/text-views.ts";
import type { ColumnChunk } from "../../store/columns.ts";

/** The texts of a column as strings. */
export function stringsOf(chunk: ColumnChunk, column: number): (string | null)[] {
  const memory = new TextBuffers();
  const { words, validity } = chunk.texts(column, memory);
  const views = Buffer.from(words.buffer, words.byteOffset, words.byteLength);
  const letters = memory
    .all()
    .map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength));
  return Array.from({ length: chunk.length }, (_, i) => {
    if (validity !== null && !isSet(validity, i)) return null;
    const [length = 0, , buffer = 0, start = 0] = words.subarray(4 * i, 4 * i + 4);
    const inView = VIEW_BYTES * i + 4;
    if (length <= SHORT_TEXT) return views.toString("utf8", inView, inView + length);
    return letters[buffer]?.toString("utf8", start, start + length) ?? "";
  });
}
