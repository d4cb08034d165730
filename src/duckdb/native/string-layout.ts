import { bindings } from "./bindings.ts";

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
