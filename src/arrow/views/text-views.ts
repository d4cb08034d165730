import type { ColumnBatch, ColumnValues } from "../../store/columns.ts";
import { isSet } from "../bits.ts";

export const VIEW_BYTES = 16;
/** A text of no more bytes is in its view. */
export const SHORT_TEXT = 12;

/** A batch whose columns of texts are views of the same memory. */
export function withTextViews(batch: ColumnBatch, isText: (column: number) => boolean): ColumnBatch {
  return {
    length: batch.length,
    columns: batch.columns.map((column, i) => (isText(i) ? viewTexts(column) : column)),
  };
}

function viewTexts(texts: ColumnValues): ColumnValues {
  const { length, validity, offsets, bytes } = texts;
  if (offsets === null || bytes === null) throw new TypeError("a column that has no texts");
  const views = new Uint8Array(VIEW_BYTES * length);
  const words = new Int32Array(views.buffer);
  for (let i = 0; i < length; i++) {
    if (validity !== null && !isSet(validity, i)) continue;
    const start = offsets[i] ?? 0;
    const size = (offsets[i + 1] ?? 0) - start;
    words[4 * i] = size;
    const shown = size > SHORT_TEXT ? 4 : size;
    for (let at = 0; at < shown; at++) views[VIEW_BYTES * i + 4 + at] = bytes[start + at] ?? 0;
    if (size > SHORT_TEXT) words[4 * i + 3] = start;
  }
  return { ...texts, bytes: views, offsets: null, buffers: [bytes] };
}
