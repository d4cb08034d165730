import { pipeline, Readable, type Duplex } from "node:stream";
import * as zlib from "node:zlib";
import { nextTurn } from "../model/turns.ts";

export type Bytes = AsyncIterable<Uint8Array>;
type Unpack = (bytes: Bytes) => Bytes;

/** Why bytes cannot be unpacked. */
export class PackFault extends Error {
  /** `damaged`: the unpacker's own words are the message; `bomb`: they would unpack to too much. */
  readonly kind: "damaged" | "bomb";

  constructor(kind: PackFault["kind"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

const PACKINGS: readonly { readonly mark: readonly number[]; readonly unpack: Unpack }[] = [
  {
    mark: [0x1f, 0x8b],
    unpack: (bytes) => throughStream(zlib.createGunzip({ chunkSize: 256 * 1024 }), bytes),
  },
  { mark: [0x28, 0xb5, 0x2f, 0xfd], unpack: unzstd },
];
export const MARK_BYTES = 4;
/** So many times over bytes may be packed: there are files that unpack to themselves. */
const MAX_LAYERS = 3;
const MAX_RATIO = 1000;
/** What is unpacked may always be as large as this. */
const ALWAYS_BYTES = 1024 * 1024;

/** Whether bytes that begin so are packed by gzip or Zstandard. */
export function isPacked(head: Uint8Array): boolean {
  return unpackerOf(head) !== undefined;
}

function unpackerOf(head: Uint8Array): Unpack | undefined {
  return PACKINGS.find(({ mark }) => mark.every((byte, i) => head[i] === byte))?.unpack;
}

/** To how many bytes so many may unpack. */
export function mostBytes(packed: number): number {
  return Math.max(ALWAYS_BYTES, MAX_RATIO * packed);
}

/**
 * What remains of bytes when nothing of them is packed any more by gzip or Zstandard, which their first bytes tell. `read` has how many
 * bytes were read so far. Throws {@link PackFault}; errors of `bytes` itself stay as they are.
 */
export async function* unpacked(bytes: Bytes, read = { bytes: 0 }): AsyncGenerator<Uint8Array> {
  async function* counted() {
    for await (const piece of bytes) {
      read.bytes += piece.length;
      yield piece;
    }
  }
  yield* withoutLayers(counted(), read, MAX_LAYERS);
}

async function* withoutLayers(
  bytes: Bytes,
  read: { readonly bytes: number },
  left: number,
): AsyncGenerator<Uint8Array> {
  const { head, all } = await beginning(bytes);
  const unpack = unpackerOf(head);
  if (unpack === undefined) yield* all;
  else if (left > 0) yield* withoutLayers(bounded(faultsOf(unpack, all), read), read, left - 1);
  else throw new PackFault("bomb", `is packed more than ${MAX_LAYERS} times over; unpack it first`);
}

/** The first bytes, and all of them. */
export async function beginning(
  bytes: Bytes,
  least = MARK_BYTES,
): Promise<{ readonly head: Buffer; readonly all: Bytes }> {
  const iterator = bytes[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  while (head.length < least) {
    const next = await iterator.next();
    if (next.done === true) break;
    head = Buffer.concat([head, next.value]);
  }
  async function* all() {
    yield head;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  return { head, all: all() };
}

async function* bounded(bytes: Bytes, read: { readonly bytes: number }): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const piece of bytes) {
    length += piece.length;
    if (length > mostBytes(read.bytes))
      throw new PackFault(
        "bomb",
        `would unpack from ${grouped(read.bytes)} to more than ${grouped(mostBytes(read.bytes))} bytes, which is too much`,
      );
    yield piece;
  }
}

/** What the unpacker throws becomes a fault, and what the bytes throw stays. */
async function* faultsOf(unpack: Unpack, bytes: Bytes): AsyncGenerator<Uint8Array> {
  let own: unknown = null;
  async function* watched() {
    try {
      yield* bytes;
    } catch (error) {
      own = error;
      throw error;
    }
  }
  try {
    yield* unpack(watched());
  } catch (error) {
    if (error === own || !(error instanceof Error)) throw error;
    throw new PackFault("damaged", error.message, { cause: error });
  }
}

/** Sends bytes through a stream of Node that unpacks them. */
export async function* throughStream(stream: Duplex, bytes: Bytes): AsyncGenerator<Uint8Array> {
  pipeline(Readable.from(bytes), stream, () => undefined);
  yield* stream as Bytes;
}

/** The decoder of `node:zlib`, which has one from Node 22.15 on. */
const makeNative =
  "createZstdDecompress" in zlib && typeof zlib.createZstdDecompress === "function"
    ? (zlib.createZstdDecompress as () => Duplex)
    : null;

const TURN_BYTES = 128 * 1024;

/** Unpacks Zstandard, of any number of frames. Throws `Error` on bytes that are none. */
export function unzstd(bytes: Bytes): Bytes {
  return makeNative === null ? unzstdInJavaScript(bytes) : throughStream(makeNative(), bytes);
}

async function* unzstdInJavaScript(bytes: Bytes): AsyncGenerator<Uint8Array> {
  const { Decompress } = await import("fzstd");
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

/** `1,234,567`. */
export function grouped(bytes: number): string {
  return bytes.toLocaleString("en-US");
}
