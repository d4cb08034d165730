import { MOST_INLINE_BYTES } from "../../model/text-stubs.ts";

/** A record's JSON text: a string, or its UTF-8 bytes where the source has them at hand. */
export type RecordText = string | Uint8Array;

export function readText(text: RecordText): string {
  return typeof text === "string"
    ? text
    : Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString("utf8");
}

/** Whether a text has more bytes than one that stands where it was sent. */
export function isLong(text: RecordText): boolean {
  if (typeof text !== "string") return text.length > MOST_INLINE_BYTES;
  if (text.length * 3 <= MOST_INLINE_BYTES) return false;
  return text.length > MOST_INLINE_BYTES || Buffer.byteLength(text) > MOST_INLINE_BYTES;
}
