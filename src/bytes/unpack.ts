import { pipeline, Readable, type Transform } from "node:stream";
import * as zlib from "node:zlib";
import { nextTurn } from "../model/turns.ts";

export type Bytes = AsyncIterable<Uint8Array>;
interface Count {
  bytes: number;
}
/** `taken` has how many bytes were needed for what came out so far. */
type Unpack = (bytes: Bytes, taken: Count) => Bytes;
/** A stream of Node that unpacks. */
type Unpacker = Transform & { readonly bytesWritten: number };

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
    unpack: (bytes, taken) => throughStream(zlib.createGunzip({ chunkSize: 256 * 1024 }), bytes, taken),
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

/** To how many bytes a packed text may grow. */
export function mostBytes(packed: number): number {
  return Math.max(ALWAYS_BYTES, MAX_RATIO * packed);
}

/**
 * What remains of bytes when nothing of them is packed any more by gzip or Zstandard, which their first bytes tell.
 * `read` has how many bytes were read so far. Throws {@link PackFault}; errors of `bytes` itself stay as they are.
 */
export async function* unpacked(bytes: Bytes, read = { bytes: 0 }): AsyncGenerator<Uint8Array> {
  async function* counted() {
    for await (const piece of bytes) {
      read.bytes += piece.length;
      yield piece;
    }
  }
  yield* withoutLayers(counted(), []);
}

/** `above`: what the layers around took. */
async function* withoutLayers(bytes: Bytes, above: readonly Count[]): AsyncGenerator<Uint8Array> {
  const { head, all } = await beginning(bytes);
  const unpack = unpackerOf(head);
  if (unpack === undefined) yield* all;
  else if (above.length < MAX_LAYERS) {
    const taken = { bytes: 0 };
    const counts = [...above, taken];
    yield* withoutLayers(bounded(faultsOf(unpack, all, taken), counts), counts);
  } else {
    await all[Symbol.asyncIterator]().return?.();
    throw new PackFault("bomb", `is packed more than ${MAX_LAYERS} times over; unpack it first`);
  }
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
  // No generator: one that was not begun, or ends at the head, would leave the bytes open.
  let next = () => {
    next = () => iterator.next();
    return Promise.resolve<IteratorResult<Uint8Array>>({ value: head, done: false });
  };
  const end = async () => (await iterator.return?.()) ?? { value: undefined, done: true };
  return { head, all: { [Symbol.asyncIterator]: () => ({ next: () => next(), return: end }) } };
}

/** By what each layer took, not by what was read: a small file is read at once. */
async function* bounded(bytes: Bytes, counts: readonly Count[]): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const piece of bytes) {
    length += piece.length;
    const taken = Math.min(...counts.map((one) => one.bytes));
    const most = mostBytes(taken);
    if (length > most)
      throw new PackFault(
        "bomb",
        `would unpack from ${grouped(taken)} to more than ${grouped(most)} bytes, which is too much`,
      );
    yield piece;
  }
}

/** What the unpacker throws becomes a fault, and what the bytes throw stays. */
async function* faultsOf(unpack: Unpack, bytes: Bytes, taken: Count): AsyncGenerator<Uint8Array> {
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
    yield* unpack(watched(), taken);
  } catch (error) {
    if (error === own || !(error instanceof Error)) throw error;
    throw new PackFault("damaged", error.message, { cause: error });
  }
}

/** Sends bytes through a stream of Node that unpacks them. */
export async function* throughStream(
  stream: Unpacker,
  bytes: Bytes,
  taken: Count = { bytes: 0 },
): AsyncGenerator<Uint8Array> {
  pipeline(Readable.from(bytes), stream, () => undefined);
  for await (const piece of stream as Bytes) {
    taken.bytes = stream.bytesWritten;
    yield piece;
  }
}

/** The decoder of `node:zlib`, which has one from Node 22.15 on. */
const makeNative =
  "createZstdDecompress" in zlib && typeof zlib.createZstdDecompress === "function"
    ? (zlib.createZstdDecompress as () => Unpacker)
    : null;

/** A turn unpacks no more: four bytes may stand for 128 KiB. */
const TURN_BYTES = 4 * 1024;

/** Unpacks Zstandard, of any number of frames. Throws `Error` on bytes that are none. */
export function unzstd(bytes: Bytes, taken: Count = { bytes: 0 }): Bytes {
  return makeNative === null ? unzstdInJavaScript(bytes, taken) : throughStream(makeNative(), bytes, taken);
}

async function* unzstdInJavaScript(bytes: Bytes, taken: Count): AsyncGenerator<Uint8Array> {
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
      const turn = chunk.subarray(at, at + TURN_BYTES);
      taken.bytes += turn.length;
      yield* push(turn, false);
      await nextTurn();
    }
  }
  yield* push(new Uint8Array(), true);
}

/** `1,234,567`. */
export function grouped(bytes: number): string {
  return bytes.toLocaleString("en-US");
}
