/** The type of a result column, in terms of Apache Arrow. */
export type ColumnType =
  | { readonly kind: "null" | "boolean" | "text" | "binary" | "date" | "interval" }
  | { readonly kind: "integer"; readonly bits: 8 | 16 | 32 | 64; readonly signed: boolean }
  | { readonly kind: "float"; readonly bits: 32 | 64 }
  /** 128 bits; `precision` counts all decimal digits, `scale` those after the point. */
  | { readonly kind: "decimal"; readonly precision: number; readonly scale: number }
  /** Time since midnight. */
  | { readonly kind: "time"; readonly unit: "us" | "ns" }
  /** Time since 1970; an instant with `utc`, else local time without a zone. */
  | { readonly kind: "timestamp"; readonly unit: "s" | "ms" | "us" | "ns"; readonly utc: boolean }
  | { readonly kind: "list"; readonly item: ColumnType }
  | { readonly kind: "fixed list"; readonly item: ColumnType; readonly length: number }
  | { readonly kind: "struct"; readonly fields: readonly ColumnField[] }
  | { readonly kind: "map"; readonly key: ColumnType; readonly value: ColumnType };

export interface ColumnField {
  readonly name: string;
  readonly type: ColumnType;
}

/**
 * The values of a column in the memory layout of Apache Arrow. `validity` has one bit for each value, lowest bit first,
 * 0 for null; it is null where all values are valid. `bytes` holds values of fixed width, the bits of booleans, or
 * texts end to end. `offsets` belongs to texts, binaries, lists and maps, and has one more entry than there are values.
 * A map has one child, a struct of key and value.
 */
export interface ColumnValues {
  readonly length: number;
  readonly nulls: number;
  readonly validity: Uint8Array<ArrayBuffer> | null;
  readonly bytes: Uint8Array<ArrayBuffer> | null;
  readonly offsets: Int32Array<ArrayBuffer> | null;
  readonly children: readonly ColumnValues[];
}

/** A batch of records of a result, column by column. */
export interface ColumnBatch {
  readonly length: number;
  readonly columns: readonly ColumnValues[];
}

/** A result that is read while it is computed. */
export interface ColumnStream {
  readonly fields: readonly ColumnField[];
  /** Can be iterated once; stopping early is allowed. */
  readonly batches: AsyncIterable<ColumnBatch>;
}

/** The value of a column of integers. Throws `RangeError` on any other. */
export function integerOf(value: unknown, least: number, most: number): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most) return value;
  throw new RangeError(`${String(value)} is no integer from ${least} to ${most}`);
}

/** The value of a column of 64-bit integers. */
export function bigintOf(value: unknown): bigint {
  return typeof value === "bigint" ? value : BigInt(Number(value));
}
