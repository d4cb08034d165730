import { StoreError } from "../../../errors.ts";
import type { ColumnValues } from "../../../store/columns.ts";
import type { Vector } from "../native/read-vector.ts";

/** Gathers the values of one column from the vectors of several chunks. */
export interface Gatherer {
  /** Values `from` to `from + count` of a vector. */
  append(vector: Vector, from: number, count: number): void;
  /** What has been gathered; the next values begin anew. */
  take(): ColumnValues;
  /** Bytes held so far, about. */
  readonly size: number;
}

export const EXPECTED_ROWS = 2048;

/** The offset of the first text or list. */
export const ZERO = new Uint8Array(4);

export function words(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2);
}

/** DuckDB has the value, Arrow has not. */
export function unrepresentable(what: string, advice: string): StoreError {
  return new StoreError("unrepresentable_value", `${what} cannot be handed out as an Arrow value; ${advice}`);
}
