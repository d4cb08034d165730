import { isSet } from "../../arrow/bits.ts";
import type { ColumnValues } from "../../store/columns.ts";
import type { SqlType } from "../../store/sql.ts";
import {
  dataOf,
  setTextPointer,
  SHORT_TEXT,
  TEXT_BYTES,
  textPointer,
  type Vector,
  writeData,
  writeText,
  writeValidity,
} from "../native/vectors.ts";

const WIDTHS = { INTEGER: 4, BIGINT: 8, UBIGINT: 8, DOUBLE: 8, UTINYINT: 1 } as const;

/** Writes `count` values of a column as it lies in memory, starting with value `from`, a multiple of 64. */
export function fillPacked(
  vector: Vector,
  type: SqlType,
  values: ColumnValues,
  from: number,
  count: number,
): void {
  const { bytes, validity } = values;
  if (bytes === null) throw new Error(`a column of ${type} has no bytes`);
  if (type === "VARCHAR" || type === "BLOB") fillTexts(vector, bytes, values.offsets, from, count);
  else if (type === "BOOLEAN") writeData(vector, bytesOfBits(bytes, from, count));
  else writeData(vector, bytes.subarray(from * WIDTHS[type], (from + count) * WIDTHS[type]));
  if (validity !== null)
    writeValidity(vector, validity.subarray(from >> 3, (from >> 3) + Math.ceil(count / 64) * 8));
}

function bytesOfBits(bits: Uint8Array, from: number, count: number): Uint8Array {
  const bytes = new Uint8Array(count);
  for (let i = 0; i < count; i++) bytes[i] = isSet(bits, from + i) ? 1 : 0;
  return bytes;
}

/**
 * Gives the vector the bytes of all texts as one text, and lets the texts point into it. A call of the client for each text would
 * take as long as all else that the main thread does while another thread loads.
 */
function fillTexts(
  vector: Vector,
  bytes: Uint8Array<ArrayBuffer>,
  offsets: Int32Array | null,
  from: number,
  count: number,
): void {
  if (offsets === null) throw new Error("a column of texts has no offsets");
  const start = offsets[from] ?? 0;
  const all = bytes.subarray(start, offsets[from + count]);
  const words = new Uint32Array((count * TEXT_BYTES) / 4);
  const layout = new Uint8Array(words.buffer);
  const address = all.length > SHORT_TEXT ? addressOf(vector, all) : 0;
  for (let i = 0; i < count; i++) {
    const at = (offsets[from + i] ?? 0) - start;
    const length = (offsets[from + i + 1] ?? 0) - start - at;
    const shown = length > SHORT_TEXT ? 4 : length;
    words[i * 4] = length;
    for (let k = 0; k < shown; k++) layout[i * TEXT_BYTES + 4 + k] = all[at + k] ?? 0;
    if (length > SHORT_TEXT) setTextPointer(words, i, address + at);
  }
  writeData(vector, words);
}

/** Stores the bytes in the memory of the vector; returns their address. */
function addressOf(vector: Vector, bytes: Uint8Array): number {
  writeText(vector, 0, bytes);
  const { buffer, byteOffset } = dataOf(vector, TEXT_BYTES);
  return textPointer(new Uint32Array(buffer, byteOffset, TEXT_BYTES / 4), 0);
}
