import { createRequire } from "node:module";
import type { DataChunk, Vector } from "@duckdb/node-bindings";

/** The version of @duckdb/node-api that has these functions and layouts. */
export const CLIENT_VERSION = "1.5.6-r.1";

/** The functions below the client that evalcube uses; they give access to the memory of a vector. */
interface Bindings {
  data_chunk_get_vector(chunk: DataChunk, column: number): Vector;
  data_chunk_set_size(chunk: DataChunk, size: number): void;
  vector_get_data(vector: Vector, byteCount: number): Uint8Array<ArrayBuffer>;
  /** Returns null where all values are valid. */
  vector_get_validity(vector: Vector, byteCount: number): Uint8Array<ArrayBuffer> | null;
  list_vector_get_child(vector: Vector): Vector;
  struct_vector_get_child(vector: Vector, index: number): Vector;
  array_vector_get_child(vector: Vector): Vector;
  vector_assign_string_element(vector: Vector, index: number, text: string): void;
  vector_assign_string_element_len(vector: Vector, index: number, bytes: Uint8Array): void;
  copy_data_to_vector(
    vector: Vector,
    targetOffset: number,
    source: ArrayBufferLike,
    sourceOffset: number,
    byteCount: number,
  ): void;
  vector_ensure_validity_writable(vector: Vector): void;
  copy_data_to_vector_validity(
    vector: Vector,
    targetOffset: number,
    source: ArrayBufferLike,
    sourceOffset: number,
    byteCount: number,
  ): void;
  /** Returns the bytes behind the pointer that is stored at an offset of a buffer. */
  get_data_from_pointer(
    buffer: ArrayBufferLike,
    pointerOffset: number,
    byteCount: number,
  ): Uint8Array<ArrayBuffer>;
}

/** A bundle in CommonJS has no `import.meta.url`, but a file name. */
const here = (import.meta as { readonly url?: string }).url ?? __filename;

/** Loads the same copy of the bindings that the client uses, wherever it is installed. */
const beside = createRequire(createRequire(here).resolve("@duckdb/node-api"));

export const bindings = beside("@duckdb/node-bindings") as Bindings;
export type { DataChunk, Vector };
