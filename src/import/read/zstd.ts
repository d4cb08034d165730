import { pipeline, Readable, type Duplex } from "node:stream";
import * as zlib from "node:zlib";
import { Decompress } from "fzstd";
import { nextTurn } from "../../model/turns.ts";

type MakeStream = () => Duplex;

/** The decoder of `node:zlib`, which has one from Node 22.15 on. */
const native: MakeStream | null =
  "createZstdDecompress" in zlib && typeof zlib.createZstdDecompress === "function"
    ? (zlib.createZstdDecompress as MakeStream)
    : null;

const TURN_BYTES = 128 * 1024;

/** Unpacks Zstandard, of any number of frames. Throws `Error` on bytes that are none. */
export function unzstd(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return native === null ? inJavaScript(bytes) : natively(native, bytes);
}

async function* natively(make: MakeStream, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const stream = make();
  pipeline(Readable.from(bytes), stream, () => undefined);
  yield* stream as AsyncIterable<Uint8Array>;
}

async function* inJavaScript(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = [];
  const decoder = new Decompress((piece) => ready.push(piece));
  const push = (piece: Uint8Array, isLast: boolean) => {
    // The decoder of the package keeps one buffer for what it has given out.
    ready = [];
    decoder.push(piece, isLast);
    return ready.filter((one) => one.length > 0).map((one) => Uint8Array.from(one));
  };
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length; at += TURN_BYTES) {
      yield* push(chunk.subarray(at, at + TURN_BYTES), false);
      await nextTurn();
    }
  }
  yield* push(new Uint8Array(), true);
}
