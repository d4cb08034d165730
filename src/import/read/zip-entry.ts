import { crc32, createInflateRaw, inflateRawSync } from "node:zlib";
import { grouped, mostBytes, throughStream, unzstd } from "../../bytes/unpack.ts";
import { SourceFault } from "./fault.ts";
import type { SourceFile } from "./source-file.ts";

/** What the directory of a zip file says of an entry. Its name is not a path. */
export interface ZipEntry {
  readonly name: string;
  readonly headerOffset: number;
  readonly compressedSize: number;
  readonly size: number;
  readonly method: number;
  readonly crc32: number;
  readonly isEncrypted: boolean;
}

/** The entry that makes a zip file a workbook. */
export const WORKBOOK = "xl/workbook.xml";
const MOST_PARTS = 10_000;

/** Throws {@link SourceFault} on a workbook of more parts than any program writes. */
export function checkParts(parts: number): void {
  if (parts > MOST_PARTS)
    throw new SourceFault(
      "invalid",
      null,
      `is a workbook that has ${parts} parts; ${MOST_PARTS} are read: save it as CSV`,
    );
}

const STORED = 0;
const DEFLATE = 8;
const ZSTANDARD = 93;

const MAX_BYTES = 4 * 1024 ** 3;
/** Unpacking this much at once takes less than a millisecond. */
const AT_ONCE_BYTES = 128 * 1024;
/** Smaller pieces are refused by zlib. */
const MIN_CHUNK_BYTES = 64;

/** Throws {@link SourceFault} on an entry that cannot be unpacked, or that would unpack to too much. */
export function checkEntry({ name, method, isEncrypted, size, compressedSize }: ZipEntry): void {
  const refuse = (reason: string) => new SourceFault("invalid", name, reason);
  if (isEncrypted) throw refuse("is encrypted");
  if (method !== STORED && method !== DEFLATE && method !== ZSTANDARD)
    throw refuse(`is packed by method ${method}; stored (0), deflate (8) and Zstandard (93) can be read`);
  const most = Math.min(MAX_BYTES, mostBytes(compressedSize));
  if (size > most)
    throw refuse(`would unpack from ${grouped(compressedSize)} to ${grouped(size)} bytes, which is too much`);
}

/** The unpacked bytes of an entry. Throws {@link SourceFault} where they are not as the directory says. */
export async function* entryBytes(file: SourceFile, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  let length = 0;
  let crc = 0;
  for await (const piece of unpack(file, entry)) {
    length += piece.length;
    if (length > entry.size)
      throw fault(
        entry,
        "invalid",
        `unpacks to more than the ${grouped(entry.size)} bytes that are announced`,
      );
    crc = crc32(piece, crc);
    yield piece;
  }
  if (length < entry.size) throw endsEarly(entry, length);
  if (crc !== entry.crc32) throw fault(entry, "invalid", "is damaged: its checksum does not fit");
}

async function* unpack(file: SourceFile, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  const start = await dataStart(file, entry);
  const end = start + entry.compressedSize;
  if (end > file.size) throw endsEarly(entry, 0);
  try {
    if (entry.method === DEFLATE && entry.size <= AT_ONCE_BYTES)
      yield inflateRawSync(await file.read(start, entry.compressedSize), {
        maxOutputLength: AT_ONCE_BYTES + 1,
        chunkSize: Math.max(MIN_CHUNK_BYTES, entry.size + 1),
      });
    else yield* unpackStream(entry.method, file.bytes(start, end));
  } catch (error) {
    if (error instanceof SourceFault || !(error instanceof Error) || "syscall" in error) throw error;
    throw fault(entry, "invalid", `is damaged and cannot be unpacked: ${error.message}`);
  }
}

function unpackStream(method: number, packed: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  if (method === STORED) return packed;
  if (method === ZSTANDARD) return unzstd(packed);
  return throughStream(createInflateRaw({ chunkSize: 256 * 1024 }), packed);
}

async function dataStart(file: SourceFile, entry: ZipEntry): Promise<number> {
  const header = await file.read(entry.headerOffset, 30);
  if (header.length < 30 || header.readUInt32LE(0) !== 0x04034b50)
    throw fault(entry, "invalid", "is not where the directory says; the file is damaged");
  return entry.headerOffset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
}

function endsEarly(entry: ZipEntry, length: number): SourceFault {
  const reason = `ends in the middle (${grouped(length)} of ${grouped(entry.size)} bytes); the file is truncated`;
  return fault(entry, "truncated", reason);
}

function fault(entry: ZipEntry, code: "invalid" | "truncated", reason: string): SourceFault {
  return new SourceFault(code, entry.name, reason);
}
