import { bigintOf, integerOf } from "../../store/columns.ts";
import type { Column, PackedColumn } from "../../store/session.ts";
import type { SqlType } from "../../store/sql.ts";
import { type Vector, writeData, writeText, writeValidity } from "../native/vectors.ts";
import { fillPacked } from "./fill-packed.ts";

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
