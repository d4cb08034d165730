/** A record batch of apache-arrow, of whichever copy of the package. */
export interface RecordBatchLike {
  /** The columns. */
  readonly schema: { readonly fields: readonly unknown[] };
  /** Their data, in the order of the fields. */
  readonly data: { readonly children: readonly unknown[] };
  /** How many records. */
  readonly numRows: number;
}

/** A table of apache-arrow. */
export interface TableLike {
  /** The columns. */
  readonly schema: { readonly fields: readonly unknown[] };
  /** The record batches. */
  readonly batches: readonly RecordBatchLike[];
}

export function isTable(value: unknown): value is TableLike {
  return hasFields(value) && "batches" in value && Array.isArray(value.batches);
}

export function isRecordBatch(value: unknown): value is RecordBatchLike {
  return (
    hasFields(value) &&
    "numRows" in value &&
    "data" in value &&
    typeof value.data === "object" &&
    value.data !== null &&
    "children" in value.data &&
    Array.isArray(value.data.children)
  );
}

function hasFields(value: unknown): value is { readonly schema: { readonly fields: readonly unknown[] } } {
  return (
    typeof value === "object" &&
    value !== null &&
    "schema" in value &&
    typeof value.schema === "object" &&
    value.schema !== null &&
    "fields" in value.schema &&
    Array.isArray(value.schema.fields)
  );
}
