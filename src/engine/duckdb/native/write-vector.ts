import { bindings, type DataChunk, type Vector } from "./bindings.ts";

export function setSize(chunk: DataChunk, count: number): void {
  bindings.data_chunk_set_size(chunk, count);
}

/** The client hands a string on as a C string, which ends at U+0000; bytes have a length. */
export function writeText(vector: Vector, index: number, value: string | Uint8Array): void {
  if (typeof value === "string" && !value.includes("\0"))
    bindings.vector_assign_string_element(vector, index, value);
  else bindings.vector_assign_string_element_len(vector, index, bytesOf(value));
}

function bytesOf(value: string | Uint8Array): Uint8Array {
  return typeof value === "string" ? Buffer.from(value, "utf8") : value;
}

/** Values as DuckDB lays them out, from the first of the vector on. */
export function writeData(vector: Vector, { buffer, byteOffset, byteLength }: ArrayBufferView): void {
  bindings.copy_data_to_vector(vector, 0, buffer, byteOffset, byteLength);
}

/** A bit a value, the lowest first, 0 for null, in whole words of 64 bits. A vector without nulls needs none. */
export function writeValidity(vector: Vector, { buffer, byteOffset, byteLength }: Uint8Array): void {
  bindings.vector_ensure_validity_writable(vector);
  bindings.copy_data_to_vector_validity(vector, 0, buffer, byteOffset, byteLength);
}
