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

export function setSize(chunk: DataChunk, count: number): void {
  bindings.data_chunk_set_size(chunk, count);
}

/**
 * Writes a text. The client passes a string on as a C string, which ends at U+0000; bytes are passed with their length.
 */
export function writeText(vector: Vector, index: number, value: string | Uint8Array): void {
  if (typeof value === "string" && !value.includes("\0"))
    bindings.vector_assign_string_element(vector, index, value);
  else bindings.vector_assign_string_element_len(vector, index, bytesOf(value));
}

function bytesOf(value: string | Uint8Array): Uint8Array {
  return typeof value === "string" ? Buffer.from(value, "utf8") : value;
}

/** Writes values that are laid out as DuckDB does, from the first value of the vector on. */
export function writeData(vector: Vector, { buffer, byteOffset, byteLength }: ArrayBufferView): void {
  bindings.copy_data_to_vector(vector, 0, buffer, byteOffset, byteLength);
}

/**
 * Writes one bit per value, the lowest first, 0 for null, in whole words of 64 bits. A vector without nulls needs no
 * bits.
 */
export function writeValidity(vector: Vector, { buffer, byteOffset, byteLength }: Uint8Array): void {
  bindings.vector_ensure_validity_writable(vector);
  bindings.copy_data_to_vector_validity(vector, 0, buffer, byteOffset, byteLength);
}

/**
 * Bytes that a text takes in a vector: 4 for its length, then the text itself if it is short, else 4 bytes and a
 * pointer.
 */
export const TEXT_BYTES = 16;

/** Most bytes of a text that lies in the vector itself. */
export const SHORT_TEXT = 12;

/** Returns the length of a text, read from the words of a vector's data. */
export function textLength(words: Uint32Array, index: number): number {
  return words[index * 4] ?? 0;
}

/** Returns the address of a text that is not short. */
export function textPointer(words: Uint32Array, index: number): number {
  return (words[index * 4 + 3] ?? 0) * 2 ** 32 + (words[index * 4 + 2] ?? 0);
}

export function setTextPointer(words: Uint32Array, index: number, address: number): void {
  words[index * 4 + 2] = address % 2 ** 32;
  words[index * 4 + 3] = Math.floor(address / 2 ** 32);
}

/** Returns `byteCount` bytes from the start of a text that is not short; all of them must belong to texts. */
export function bytesFrom(data: Uint8Array, index: number, byteCount: number): Uint8Array<ArrayBuffer> {
  const pointer = data.byteOffset + index * TEXT_BYTES + 8;
  return bindings.get_data_from_pointer(data.buffer, pointer, byteCount);
}

/** Returns the validity bits of a vector, the lowest first; null where all values are valid. */
export function validityOf(vector: Vector, count: number): Uint8Array<ArrayBuffer> | null {
  return bindings.vector_get_validity(vector, Math.ceil(count / 64) * 8);
}
