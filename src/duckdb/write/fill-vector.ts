import { bigintOf, type ColumnValues, integerOf } from "../../store/columns.ts";
import type { Column, PackedColumn } from "../../store/session.ts";
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
import { isSet } from "../../arrow/bits.ts";

type Values = Column["values"];
type Value = Values[number];

/** Writes `count` values of a column, starting with value `from`, into a vector of the column's type. */
export function fillVector(vector: Vector, column: Column | PackedColumn, from: number, count: number): void {
  if (isPacked(column)) fillPacked(vector, column.type, column.values, from, count);
  else fillValues(vector, column, from, count);
}

function isPacked(column: Column | PackedColumn): column is PackedColumn {
  return "bytes" in column.values;
}

function fillValues(vector: Vector, { type, values }: Column, from: number, count: number): void {
  if (type === "VARCHAR" || type === "BLOB") fillTexts(vector, values, from, count);
  else writeData(vector, numbersOf(type, values, from, count));
  writeNulls(vector, values, from, count);
}

function fillTexts(vector: Vector, values: Values, from: number, count: number): void {
  for (let i = 0; i < count; i++) {
    const value = values[from + i] ?? null;
    if (value !== null) writeText(vector, i, value instanceof Uint8Array ? value : String(value));
  }
}

type Numbers = Int32Array | BigInt64Array | BigUint64Array | Uint8Array | Float64Array;

/** Lays out the values as DuckDB does, with zero for null. */
function numbersOf(
  type: Exclude<SqlType, "VARCHAR" | "BLOB">,
  values: Values,
  from: number,
  count: number,
): Numbers {
  const filled = <T extends Numbers>(numbers: T, read: (value: NonNullable<Value>) => T[number]): T => {
    for (let i = 0; i < count; i++) {
      const value = values[from + i] ?? null;
      if (value !== null) numbers[i] = read(value);
    }
    return numbers;
  };
  switch (type) {
    case "INTEGER":
      return filled(new Int32Array(count), (value) => integerOf(value, -(2 ** 31), 2 ** 31 - 1));
    case "UTINYINT":
      return filled(new Uint8Array(count), (value) => integerOf(value, 0, 255));
    case "BOOLEAN":
      return filled(new Uint8Array(count), (value) => integerOf(Number(value), 0, 1));
    case "BIGINT":
      return filled(new BigInt64Array(count), bigintOf);
    case "UBIGINT":
      return filled(new BigUint64Array(count), bigintOf);
    case "DOUBLE":
      return filled(new Float64Array(count), Number);
  }
}

function writeNulls(vector: Vector, values: Values, from: number, count: number): void {
  let bits: Uint8Array | null = null;
  for (let i = 0; i < count; i++) {
    if ((values[from + i] ?? null) !== null) continue;
    bits ??= new Uint8Array(Math.ceil(count / 64) * 8).fill(255);
    bits[i >> 3] = (bits[i >> 3] ?? 0) & ~(1 << (i & 7));
  }
  if (bits !== null) writeValidity(vector, bits);
}

const WIDTHS = { INTEGER: 4, BIGINT: 8, UBIGINT: 8, DOUBLE: 8, UTINYINT: 1 } as const;

/** Writes `count` values of a column as it lies in memory, starting with value `from`, a multiple of 64. */
function fillPacked(vector: Vector, type: SqlType, values: ColumnValues, from: number, count: number): void {
  const { bytes, validity } = values;
  if (bytes === null) throw new Error(`a column of ${type} has no bytes`);
  if (type === "VARCHAR" || type === "BLOB") fillPackedTexts(vector, bytes, values.offsets, from, count);
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
 * Gives the vector the bytes of all texts as one text, and lets the texts point into it. A call of the client for each
 * text would take as long as all else that the main thread does while another thread loads.
 */
function fillPackedTexts(
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
