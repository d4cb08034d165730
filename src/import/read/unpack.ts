import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pipeline, Readable } from "node:stream";
import { pipeline as whenPiped } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { SourceFault } from "./fault.ts";
import { openSourceFile, type SourceFile } from "./source-file.ts";
import { grouped, mostBytes } from "./zip-entry.ts";
import { unzstd } from "./zstd.ts";

/** Writes a stream to a temporary file, which disappears when the result is closed. */
export async function spool(
  bytes: AsyncIterable<Uint8Array>,
  name: string,
  signal?: AbortSignal,
): Promise<SourceFile> {
  const file = path.join(tmpdir(), `evalcube-${randomUUID()}.tmp`);
  const remove = () => rm(file, { force: true });
  try {
    const out = createWriteStream(file, { flags: "wx", mode: 0o600 });
    await whenPiped(Readable.from(bytes), out, signal === undefined ? {} : { signal });
    return await openSourceFile(file, name, remove);
  } catch (error) {
    await remove();
    throw error;
  }
}

type Bytes = AsyncIterable<Uint8Array>;
type Unpack = (bytes: Bytes) => Bytes;

const MAGIC: readonly { readonly mark: readonly number[]; readonly unpack: Unpack }[] = [
  { mark: [0x1f, 0x8b], unpack: gunzip },
  { mark: [0x28, 0xb5, 0x2f, 0xfd], unpack: unzstd },
  { mark: [0xff, 0xfe], unpack: (bytes) => asUtf8(bytes, "utf-16le") },
  { mark: [0xfe, 0xff], unpack: (bytes) => asUtf8(bytes, "utf-16be") },
];
const MARK_BYTES = 4;
/** So many times over a file may be packed: there are files that unpack to themselves. */
const MAX_LAYERS = 3;

/**
 * Unpacks a gzip or Zstandard stream into a temporary file, up to three times over, and writes UTF-16 as UTF-8; other files stay as
 * they are. Throws
 * {@link SourceFault} on one that cannot be unpacked, or that would unpack to too much.
 */
export async function unpacked(file: SourceFile, signal?: AbortSignal): Promise<SourceFile> {
  if (packingOf(await file.read(0, MARK_BYTES)) === undefined) return file;
  try {
    return await spool(withoutLayers(file.bytes(), file.size), file.name, signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof SourceFault || !(error instanceof Error) || "syscall" in error) throw error;
    throw new SourceFault("truncated", null, `cannot be unpacked: ${error.message}`, { cause: error });
  } finally {
    await file.close();
  }
}

function packingOf(head: Buffer): Unpack | undefined {
  return MAGIC.find(({ mark }) => mark.every((byte, i) => head[i] === byte))?.unpack;
}

/** What remains of a file of `size` bytes when nothing of it is packed any more. */
async function* withoutLayers(bytes: Bytes, size: number, left = MAX_LAYERS): AsyncGenerator<Uint8Array> {
  const { head, all } = await beginning(bytes);
  const unpack = packingOf(head);
  if (unpack === undefined) yield* all;
  else if (left > 0) yield* withoutLayers(bounded(unpack(all), size), size, left - 1);
  else
    throw new SourceFault("invalid", null, `is packed more than ${MAX_LAYERS} times over; unpack it first`);
}

async function beginning(bytes: Bytes): Promise<{ readonly head: Buffer; readonly all: Bytes }> {
  const iterator = bytes[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  while (head.length < MARK_BYTES) {
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

async function* bounded(bytes: Bytes, size: number): AsyncGenerator<Uint8Array> {
  const most = mostBytes(size);
  let length = 0;
  for await (const piece of bytes) {
    length += piece.length;
    if (length > most) {
      const reason = `would unpack from ${grouped(size)} to more than ${grouped(most)} bytes, which is too much`;
      throw new SourceFault("invalid", null, reason);
    }
    yield piece;
  }
}

async function* gunzip(bytes: Bytes): AsyncGenerator<Uint8Array> {
  const stream = createGunzip({ chunkSize: 256 * 1024 });
  pipeline(Readable.from(bytes), stream, () => undefined);
  yield* stream as Bytes;
}

async function* asUtf8(bytes: Bytes, encoding: string): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(encoding);
  for await (const piece of bytes) yield Buffer.from(decoder.decode(piece, { stream: true }));
  yield Buffer.from(decoder.decode());
}
