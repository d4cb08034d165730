import { bindings, type Vector } from "./bindings.ts";

/** Returns the validity bits of a vector, the lowest first; null where all values are valid. */
export function validityOf(vector: Vector, count: number): Uint8Array<ArrayBuffer> | null {
  return bindings.vector_get_validity(vector, Math.ceil(count / 64) * 8);
}
