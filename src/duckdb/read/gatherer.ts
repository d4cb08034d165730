import { StoreError } from "../../errors.ts";
import type { ColumnValues } from "../../store/columns.ts";
import type { Vector } from "../native/vectors.ts";

/** Gathers the values of one column from the vectors of several chunks. */
export interface Gatherer {
  /** Appends the values from `from` up to but not including `from + count` of a vector. */
  append(vector: Vector, from: number, count: number): void;
  /** Returns the gathered values; later values are gathered anew. */
  take(): ColumnValues;
  /** Approximate number of bytes held. */
  readonly size: number;
}

export const EXPECTED_ROWS = 2048;

/** The offset of the first text or list. */
export const ZERO = new Uint8Array(4);

export function words(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2);
}

/** Returns the error for a value that DuckDB has and Arrow cannot represent. */
export function unrepresentable(what: string, advice: string): StoreError {
  return new StoreError("unrepresentable_value", `${what} cannot be handed out as an Arrow value; ${advice}`);
}
