/** A record's JSON text: a string, or its UTF-8 bytes where the source has them at hand. */
export type RecordText = string | Uint8Array;

export function readText(text: RecordText): string {
  return typeof text === "string"
    ? text
    : Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString("utf8");
}
