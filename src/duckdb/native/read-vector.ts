import { bindings, type DataChunk, type Vector } from "./bindings.ts";

export type { Vector };

export function vectorOf(chunk: DataChunk, column: number): Vector {
  return bindings.data_chunk_get_vector(chunk, column);
}

/** Copies the values of a vector as they lie in memory, so that they remain when the vector is freed. */
export function dataOf(vector: Vector, byteCount: number): Uint8Array<ArrayBuffer> {
  return bindings.vector_get_data(vector, byteCount);
}

/** Returns the vector with the items of all lists of a vector, or the entries of all its maps. */
export function listItems(vector: Vector): Vector {
  return bindings.list_vector_get_child(vector);
}

export function arrayItems(vector: Vector): Vector {
  return bindings.array_vector_get_child(vector);
}

export function structMember(vector: Vector, index: number): Vector {
  return bindings.struct_vector_get_child(vector, index);
}
