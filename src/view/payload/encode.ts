import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import type { PayloadHeader, PayloadRows, Section } from "./payload-rows.ts";

/**
 * Rows as base64 text, which `decodeRows` reads; null where that would be longer than `most`. The same rows give the same
 * text. Columns are made one after the other, so that only their compressed bytes are in memory together.
 */
export async function encodeRows(rows: PayloadRows, most = Infinity): Promise<string | null> {
  let text = "";
  let length = 0;
  let rest = Buffer.alloc(0);
  for await (const chunk of compressed(rows)) {
    length += chunk.length;
    if (base64Length(length) > most) return null;
    const bytes = Buffer.concat([rest, chunk]);
    // Base64 has four characters for three bytes.
    const whole = bytes.length - (bytes.length % 3);
    text += bytes.toString("base64", 0, whole);
    rest = bytes.subarray(whole);
  }
  return text + rest.toString("base64");
}

/** How long the text of `encodeRows` would be. */
export async function encodedLength(rows: PayloadRows): Promise<number> {
  let length = 0;
  for await (const chunk of compressed(rows)) length += chunk.length;
  return base64Length(length);
}

async function* compressed(rows: PayloadRows): AsyncGenerator<Uint8Array, void, undefined> {
  const source = Readable.from(blockOf(rows), { highWaterMark: 1 });
  const gzip = createGzip();
  source.on("error", (error) => gzip.destroy(error));
  try {
    yield* source.pipe(gzip) as AsyncIterable<Uint8Array>;
  } finally {
    source.destroy();
  }
}

function base64Length(bytes: number): number {
  return 4 * Math.ceil(bytes / 3);
}

function* blockOf(rows: PayloadRows): Generator<Uint8Array> {
  const header = new TextEncoder().encode(JSON.stringify(headerOf(rows)));
  const size = Buffer.alloc(4);
  size.writeUInt32LE(header.length);
  yield size;
  yield header;
  for (const column of rows.columns) for (const part of column.parts()) if (part.length > 0) yield part;
}

function headerOf({ evaluations, dimensions, rowCount, left, columns }: PayloadRows): PayloadHeader {
  const sections: Section[] = [];
  let at = 0;
  for (const { name, size } of columns) {
    sections.push({ name, at, bytes: size });
    at += size;
  }
  return { format: 1, evaluations, dimensions, rowCount, left, sections };
}
