import { bindings, type DataChunk, type Vector } from "./bindings.ts";

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
