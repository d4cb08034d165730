import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { refuseOpenDatabase } from "../../flow/open-files.ts";

/** Bytes that can be read from any place and as often as needed. */
export interface SourceFile {
  /** Name in messages. */
  readonly name: string;
  readonly size: number;
  /** The path; null where the bytes are in memory. */
  readonly path: string | null;
  /** When it was last written, in microseconds since 1970; null where nothing tells. */
  readonly modifiedAt: bigint | null;
  /** The bytes from `from` up to but not including `to`; without them, all. */
  readonly bytes: (from?: number, to?: number) => AsyncIterable<Buffer>;
  /** So many bytes; fewer at the end. */
  readonly read: (offset: number, length: number) => Promise<Buffer>;
  readonly close: () => Promise<void>;
}

const PIECE_BYTES = 1024 * 1024;
const BLOCK_BYTES = 256 * 1024;
/** Times of 1970 stand for none: tools that pack files set them. */
const FIRST_TIME_MS = Date.parse("1971-01-01T00:00:00Z");

/** Opens a file, unless it belongs to an open database. `close` calls `release` once the file is closed. */
export async function openSourceFile(
  path: string,
  name: string,
  release: () => Promise<void> = () => Promise.resolve(),
): Promise<SourceFile> {
  refuseOpenDatabase(path);
  const file = await open(path);
  const { size, mtimeMs } = await file.stat();
  const readExactly = async (offset: number, length: number) => {
    const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(length, size - offset)));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, offset);
    return buffer.subarray(0, bytesRead);
  };
  const read = readAhead(readExactly);
  return {
    name,
    size,
    path,
    modifiedAt: mtimeMs < FIRST_TIME_MS ? null : BigInt(Math.round(mtimeMs * 1000)),
    bytes: (from = 0, to = size) =>
      to - from <= PIECE_BYTES ? onePiece(read, from, to) : pieces(path, from, to),
    read,
    close: async () => {
      await file.close();
      await release();
    },
  };
}

/** Reads a block for each read of a small part: parts that follow one another cost one read of the file. */
function readAhead(read: SourceFile["read"]): SourceFile["read"] {
  let block: Buffer = Buffer.alloc(0);
  let begin = 0;
  return async (offset, length) => {
    if (offset >= begin && offset + length <= begin + block.length)
      return block.subarray(offset - begin, offset - begin + length);
    if (length > BLOCK_BYTES / 2) return await read(offset, length);
    const found = await read(offset, BLOCK_BYTES);
    block = found;
    begin = offset;
    return found.subarray(0, length);
  };
}

function pieces(path: string, start: number, to: number): AsyncIterable<Buffer> {
  return createReadStream(path, { start, end: to - 1, highWaterMark: PIECE_BYTES }) as AsyncIterable<Buffer>;
}

async function* onePiece(read: SourceFile["read"], from: number, to: number): AsyncGenerator<Buffer> {
  if (to > from) yield await read(from, to - from);
}

/** The same file; `onBytes` is called with the number of bytes of each piece that is read, and may throw to stop. */
export function watched(file: SourceFile, onBytes: (bytes: number) => void): SourceFile {
  return {
    ...file,
    async *bytes(from, to) {
      for await (const piece of file.bytes(from, to)) {
        onBytes(piece.length);
        yield piece;
      }
    },
    read: async (offset, length) => {
      onBytes(0);
      return await file.read(offset, length);
    },
  };
}

/** Bytes in memory as a file. */
export function memoryFile(content: Uint8Array, name: string): SourceFile {
  const all = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  return {
    name,
    size: all.length,
    path: null,
    modifiedAt: null,
    async *bytes(from = 0, to = all.length) {
      for (let at = from; at < to; at += PIECE_BYTES) yield all.subarray(at, Math.min(to, at + PIECE_BYTES));
    },
    read: async (offset, length) => all.subarray(offset, offset + length),
    close: () => Promise.resolve(),
  };
}
