import { bindings } from "./bindings.ts";

/** A text of a vector takes 16 bytes: its length, then itself when it is short, else 4 bytes and a pointer. */
export const TEXT_BYTES = 16;

/** A text of no more bytes is in the vector itself. */
export const SHORT_TEXT = 12;

/** The length of a text, by the words of a vector's data. */
export function textLength(words: Uint32Array, index: number): number {
  return words[index * 4] ?? 0;
}

/** Where a text that is not short begins. */
export function textPointer(words: Uint32Array, index: number): number {
  return (words[index * 4 + 3] ?? 0) * 2 ** 32 + (words[index * 4 + 2] ?? 0);
}

/** So many bytes from the one on where a text begins that is not short; all must be those of texts. */
export function bytesFrom(data: Uint8Array, index: number, byteCount: number): Uint8Array<ArrayBuffer> {
  const pointer = data.byteOffset + index * TEXT_BYTES + 8;
  return bindings.get_data_from_pointer(data.buffer, pointer, byteCount);
}
