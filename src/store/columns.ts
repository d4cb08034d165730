/** The type of a column of a result, in the terms of Apache Arrow. */
export type ColumnType =
  | { readonly kind: "null" | "boolean" | "text" | "binary" | "date" | "interval" }
  | { readonly kind: "integer"; readonly bits: 8 | 16 | 32 | 64; readonly signed: boolean }
  | { readonly kind: "float"; readonly bits: 32 | 64 }
  /** 128 bits; `precision` counts decimal digits, `scale` those behind the point. */
  | { readonly kind: "decimal"; readonly precision: number; readonly scale: number }
  /** Since midnight. */
  | { readonly kind: "time"; readonly unit: "us" | "ns" }
  /** Since 1970; `utc`: an instant, else a reading of a clock on the wall. */
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
 * The values of a column in the memory layout of Apache Arrow. `validity`: a bit a value, the lowest first, 0 for
 * null; null where all are valid. `bytes`: values of fixed width, bits of booleans, texts end to end. `offsets`:
 * of texts, binaries, lists and maps, one more than there are values. A map has one child, a struct of key and value.
 */
export interface ColumnValues {
  readonly length: number;
  readonly nulls: number;
  readonly validity: Uint8Array<ArrayBuffer> | null;
  readonly bytes: Uint8Array<ArrayBuffer> | null;
  readonly offsets: Int32Array<ArrayBuffer> | null;
  readonly children: readonly ColumnValues[];
}

/** Some records of a result, column by column. */
export interface ColumnBatch {
  readonly length: number;
  readonly columns: readonly ColumnValues[];
}

/** A result that is read as it is made. */
export interface ColumnStream {
  readonly fields: readonly ColumnField[];
  /** To be read once, to its end or not. */
  readonly batches: AsyncIterable<ColumnBatch>;
}
