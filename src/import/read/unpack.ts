import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline as whenPiped } from "node:stream/promises";
import {
  beginning,
  isPacked,
  MARK_BYTES,
  PackFault,
  unpacked as unpackedBytes,
  type Bytes,
} from "../../bytes/unpack.ts";
import { SourceFault } from "./fault.ts";
import { openSourceFile, type SourceFile } from "./source-file.ts";

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

const UTF_16: readonly { readonly mark: readonly number[]; readonly encoding: string }[] = [
  { mark: [0xff, 0xfe], encoding: "utf-16le" },
  { mark: [0xfe, 0xff], encoding: "utf-16be" },
];

/**
 * Unpacks a gzip or Zstandard stream into a temporary file, up to three times over, and writes UTF-16 as UTF-8; other
 * files stay as they are. Throws {@link SourceFault} on one that cannot be unpacked, or that would unpack to too much.
 */
export async function unpacked(file: SourceFile, signal?: AbortSignal): Promise<SourceFile> {
  const head = await file.read(0, MARK_BYTES);
  if (!isPacked(head) && encodingOf(head) === undefined) return file;
  try {
    const spooled = await spool(asUtf8(unpackedBytes(file.bytes())), file.name, signal);
    return { ...spooled, modifiedAt: file.modifiedAt };
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof PackFault)) throw error;
    const isDamaged = error.kind === "damaged";
    const reason = isDamaged ? `cannot be unpacked: ${error.message}` : error.message;
    throw new SourceFault(isDamaged ? "truncated" : "invalid", null, reason, { cause: error });
  } finally {
    await file.close();
  }
}

function encodingOf(head: Buffer): string | undefined {
  return UTF_16.find(({ mark }) => mark.every((byte, i) => head[i] === byte))?.encoding;
}

async function* asUtf8(bytes: Bytes): AsyncGenerator<Uint8Array> {
  const { head, all } = await beginning(bytes);
  const encoding = encodingOf(head);
  if (encoding === undefined) return yield* all;
  const decoder = new TextDecoder(encoding);
  for await (const piece of all) yield Buffer.from(decoder.decode(piece, { stream: true }));
  yield Buffer.from(decoder.decode());
}
