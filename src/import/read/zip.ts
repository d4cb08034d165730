import { fromRandomAccessReaderPromise, RandomAccessReader, type Entry, type ZipFile } from "yauzl";
import { SourceFault } from "./fault.ts";
import type { SourceFile } from "./source-file.ts";
import { checkEntry, checkParts, WORKBOOK, type ZipEntry } from "./zip-entry.ts";

const MAX_ENTRIES = 2_000_000;
/** So many are read in no time. */
const FEW_ENTRIES = 1000;

/**
 * The entries of a zip file by name, from its directory. Throws {@link SourceFault} where there is none, and on entries
 * that are encrypted, packed by an unknown method, or twice under one name; and on a workbook of too many.
 */
export async function readZipDirectory(file: SourceFile): Promise<Map<string, ZipEntry>> {
  const zip = await openZip(file);
  try {
    if (zip.entryCount > MAX_ENTRIES)
      throw new SourceFault("invalid", null, `has ${zip.entryCount} entries, more than ${MAX_ENTRIES}`);
    // Of a workbook, entries are not read before they are counted.
    if (zip.entryCount > FEW_ENTRIES && (await isListed(file, Number(zip.readEntryCursor), WORKBOOK)))
      checkParts(zip.entryCount);
    const entries = new Map<string, ZipEntry>();
    for await (const entry of zip.eachEntry()) add(entries, entry);
    return entries;
  } catch (error) {
    throw faultOf(error);
  } finally {
    zip.close();
  }
}

const LISTED = Buffer.from("PK\u0001\u0002", "latin1");
const LISTED_BYTES = 46;
const NAME_LENGTH_AT = 28;

/** Whether the directory, which begins there, has an entry of this name. */
async function isListed(file: SourceFile, from: number, name: string): Promise<boolean> {
  let kept = Buffer.alloc(0);
  for await (const piece of file.bytes(from)) {
    const bytes = Buffer.concat([kept, piece]);
    for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at + 1)) {
      const header = bytes.subarray(Math.max(0, at - LISTED_BYTES), at);
      if (header.indexOf(LISTED) === 0 && header.readUInt16LE(NAME_LENGTH_AT) === name.length) return true;
    }
    kept = bytes.subarray(-(LISTED_BYTES + name.length));
  }
  return false;
}

async function openZip(file: SourceFile): Promise<ZipFile> {
  try {
    return await fromRandomAccessReaderPromise(new FileReader(file), file.size, { autoClose: false });
  } catch (error) {
    throw new SourceFault("truncated", null, NO_DIRECTORY, { cause: error });
  }
}

/** Gives yauzl the bytes of a file. It only reads the directory; streams of entries are not asked for. */
class FileReader extends RandomAccessReader {
  readonly #file: SourceFile;

  constructor(file: SourceFile) {
    super();
    this.#file = file;
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    void this.#fill(buffer.subarray(offset, offset + length), position, callback);
  }

  async #fill(part: Buffer, position: number, done: (error: Error | null) => void): Promise<void> {
    let fault: Error | null = null;
    try {
      const copied = (await this.#file.read(position, part.length)).copy(part);
      if (copied < part.length) fault = new Error("the file ends early");
    } catch (error) {
      fault = error instanceof Error ? error : new Error(String(error));
    }
    done(fault);
  }
}

const NO_DIRECTORY =
  "has no directory at its end; the file is truncated or is still being written, and skipping what is invalid reads it as far as it goes";

function add(entries: Map<string, ZipEntry>, entry: Entry): void {
  const { fileName: name } = entry;
  if (name.endsWith("/")) return;
  if (entries.has(name)) throw new SourceFault("invalid", name, "is in the file twice");
  const found: ZipEntry = {
    name,
    headerOffset: entry.relativeOffsetOfLocalHeader,
    compressedSize: entry.compressedSize,
    size: entry.uncompressedSize,
    method: entry.compressionMethod,
    crc32: entry.crc32,
    isEncrypted: entry.isEncrypted(),
  };
  checkEntry(found);
  entries.set(name, found);
}

function faultOf(error: unknown): unknown {
  if (error instanceof SourceFault || !(error instanceof Error) || "syscall" in error) return error;
  return new SourceFault("invalid", null, `cannot be read as a zip file: ${error.message}`, { cause: error });
}

const LOCAL_HEADER = 0x04034b50;
const LOCAL_HEADER_BYTES = 30;
const IN_EXTRA_FIELD = 0xffffffff;

/** The entries of a zip file without a directory, read from the header before each one, as far as they are whole. */
export async function readZipHeaders(file: SourceFile): Promise<Map<string, ZipEntry>> {
  const entries = new Map<string, ZipEntry>();
  for (let at = 0; entries.size < MAX_ENTRIES;) {
    const entry = await localEntry(file, at);
    if (entry === null || entry.end > file.size) break;
    checkEntry(entry.entry);
    entries.set(entry.entry.name, entry.entry);
    at = entry.end;
  }
  return entries;
}

async function localEntry(file: SourceFile, at: number): Promise<{ entry: ZipEntry; end: number } | null> {
  const header = await file.read(at, LOCAL_HEADER_BYTES);
  if (header.length < LOCAL_HEADER_BYTES || header.readUInt32LE(0) !== LOCAL_HEADER) return null;
  const flags = header.readUInt16LE(6);
  const nameLength = header.readUInt16LE(26);
  const texts = await file.read(at + LOCAL_HEADER_BYTES, nameLength + header.readUInt16LE(28));
  const sizes = longSizes(texts.subarray(nameLength), header.readUInt32LE(18), header.readUInt32LE(22));
  // The sizes of such an entry stand behind it.
  if ((flags & 8) !== 0 && sizes.compressed === 0) return null;
  return {
    entry: {
      name: texts.toString("utf8", 0, nameLength),
      headerOffset: at,
      compressedSize: sizes.compressed,
      size: sizes.unpacked,
      method: header.readUInt16LE(8),
      crc32: header.readUInt32LE(14),
      isEncrypted: (flags & 1) !== 0,
    },
    end: at + LOCAL_HEADER_BYTES + texts.length + sizes.compressed,
  };
}

function longSizes(extra: Buffer, compressed: number, unpacked: number) {
  if (compressed !== IN_EXTRA_FIELD && unpacked !== IN_EXTRA_FIELD) return { compressed, unpacked };
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1 || at + 20 > extra.length) continue;
    return {
      unpacked: Number(extra.readBigUInt64LE(at + 4)),
      compressed: Number(extra.readBigUInt64LE(at + 12)),
    };
  }
  return { compressed, unpacked };
}
