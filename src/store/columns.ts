/** The type of a column of a result, in the terms of Apache Arrow. */
export type ColumnType =
  | { readonly kind: "null" | "boolean" | "text" | "text view" | "binary" | "date" | "interval" }
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
 * Of text views, `bytes` are the views, and `buffers` what they point to.
 */
export interface ColumnValues {
  readonly length: number;
  readonly nulls: number;
  readonly validity: Uint8Array<ArrayBuffer> | null;
  readonly bytes: Uint8Array<ArrayBuffer> | null;
  readonly offsets: Int32Array<ArrayBuffer> | null;
  readonly children: readonly ColumnValues[];
  readonly buffers?: readonly Uint8Array<ArrayBuffer>[];
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

/**
 * A few records of a result. A column is read when it is asked for, so that what nobody needs is not copied. When the next
 * records are asked for, all that was read of these is empty, but for what `memory` keeps.
 */
export interface ColumnChunk {
  readonly length: number;
  /** The values of a column of INTEGER, none of them null. */
  readonly integers: (column: number) => Int32Array;
  readonly doubles: (column: number) => ChunkDoubles;
  /** Texts `from` to `to` of a column, by default all; those that are longer than a view go to `memory`. To be asked once of each. */
  readonly texts: (column: number, memory: TextMemory, from?: number, to?: number) => TextViews;
}

/** `validity`: as in {@link ColumnValues}. */
export interface ChunkDoubles {
  readonly values: Float64Array;
  readonly validity: Uint8Array | null;
}

/** Where texts go. */
export interface TextMemory {
  /** Keeps a run of texts, itself or a copy; gives the number of its buffer and its place there. */
  readonly append: (run: Uint8Array<ArrayBuffer>) => readonly [buffer: number, start: number];
}

/**
 * Texts in Arrow's layout of views, four words each: the length, then the text where it has no more than twelve bytes, padded
 * with zeros, else its first four bytes, the number of its buffer and its place there.
 */
export interface TextViews {
  readonly words: Uint32Array;
  readonly validity: Uint8Array | null;
}
