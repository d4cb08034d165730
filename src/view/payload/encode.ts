import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { SEPARATOR, type Lines, type PayloadHeader, type PayloadRows } from "./payload-rows.ts";

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

/** The header, then the columns in the order in which `decodeRows` takes them. */
function* blockOf(rows: PayloadRows): Generator<string | Uint8Array> {
  const { evaluations, dimensions, rowCount, left, counts, digests, latency, tokens, scores } = rows;
  const header: PayloadHeader = { format: 1, evaluations, dimensions, rowCount, left };
  const columns: Lines[] = [
    jsonOf(header),
    jsonOf(counts),
    jsonOf(digests),
    rows.inputs,
    jsonOf(latency),
    jsonOf(tokens),
    rows.errors,
    rows.texts,
    rows.outputs,
    ...scores.map(jsonOf),
  ];
  for (const column of columns) {
    for (const piece of column) if (piece.length > 0) yield piece;
    yield Uint8Array.of(SEPARATOR);
  }
}

/** Made when it is written, so that only its compressed bytes stay. */
function* jsonOf(values: unknown): Generator<string> {
  yield JSON.stringify(values);
}
