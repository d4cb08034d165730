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

const MAGIC: readonly { readonly mark: readonly number[]; readonly unpack: Unpack }[] = [
  { mark: [0x1f, 0x8b], unpack: gunzip },
  { mark: [0x28, 0xb5, 0x2f, 0xfd], unpack: unzstd },
];

type Unpack = (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

/** Unpacks a gzip or Zstandard stream into a temporary file, again while it is one; other files stay as they are. */
export async function unpacked(file: SourceFile, signal?: AbortSignal): Promise<SourceFile> {
  const head = await file.read(0, 4);
  const packing = MAGIC.find(({ mark }) => mark.every((byte, i) => head[i] === byte));
  if (packing === undefined) return file;
  try {
    return await unpacked(await spool(packing.unpack(file.bytes()), file.name, signal), signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof SourceFault || !(error instanceof Error) || "syscall" in error) throw error;
    throw new SourceFault("truncated", null, `cannot be unpacked: ${error.message}`, { cause: error });
  } finally {
    await file.close();
  }
}

async function* gunzip(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const stream = createGunzip({ chunkSize: 256 * 1024 });
  pipeline(Readable.from(bytes), stream, () => undefined);
  yield* stream as AsyncIterable<Uint8Array>;
}
