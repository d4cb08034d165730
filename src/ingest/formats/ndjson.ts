import { isUtf8 } from "node:buffer";
import { createGunzip } from "node:zlib";
import { pipeline, Readable } from "node:stream";
import { EvalcubeError, IngestError } from "../../errors.ts";
import { InvalidRecord } from "../record/invalid-record.ts";
import type { RecordSource, SourceRecord } from "./record-source.ts";

/** A line longer than this is refused: it is no call. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

/** NDJSON bytes, plain or gzip (told by its magic number), as records; blank lines count but are none. */
export function ndjsonSource(
  bytes: AsyncIterable<Uint8Array>,
  name: string,
  totalBytes: number | null,
): RecordSource {
  const counted = { bytes: 0 };
  async function* groups() {
    let line = 0;
    try {
      for await (const block of lineBlocks(decompressed(count(bytes, counted), name), name)) {
        const before = line;
        const records = { [Symbol.iterator]: () => readLines(block, before, (last) => (line = last)) };
        yield { records, bytes: counted.bytes };
      }
    } catch (error) {
      if (error instanceof IngestError || !isStreamFault(error)) throw error;
      throw new IngestError(name, line + 1, [], `cannot be read: ${error.message}`, { cause: error });
    }
  }
  return { name, totalBytes, groups: groups() };
}

function isStreamFault(error: unknown): error is Error {
  return (
    error instanceof Error &&
    "code" in error &&
    typeof error.code === "string" &&
    /^(Z_|ERR_STREAM)/.test(error.code)
  );
}

async function* count(
  bytes: AsyncIterable<Uint8Array>,
  counted: { bytes: number },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    counted.bytes += chunk.byteLength;
    yield chunk;
  }
}

const GZIP = Buffer.from([0x1f, 0x8b]);
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

async function* decompressed(bytes: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  const iterator = bytes[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  while (head.length < ZSTD.length) {
    const next = await iterator.next();
    if (next.done === true) break;
    head = head.length === 0 ? asBuffer(next.value) : Buffer.concat([head, next.value]);
  }
  async function* whole() {
    yield head;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  if (startsWith(head, ZSTD))
    throw new EvalcubeError(
      "invalid_source",
      `${name}: is compressed by Zstandard; unpack it first (zstd -d), or compress it by gzip`,
    );
  if (!startsWith(head, GZIP)) {
    yield* whole();
    return;
  }
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  pipeline(Readable.from(whole()), gunzip, () => undefined);
  yield* gunzip as AsyncIterable<Uint8Array>;
}

function startsWith(bytes: Buffer, mark: Buffer): boolean {
  return bytes.subarray(0, mark.length).equals(mark);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const NEWLINE = 10;
const OPEN_BRACE = 123;
const BLOCK_BYTES = 256 * 1024;

/** Cuts a byte stream at line ends into blocks of about 256 KiB, which are copies: the stream may reuse its own. */
async function* lineBlocks(bytes: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  let restLength = 0;
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.byteLength; at += BLOCK_BYTES) {
      const piece = Buffer.from(
        chunk.buffer,
        chunk.byteOffset + at,
        Math.min(BLOCK_BYTES, chunk.byteLength - at),
      );
      const end = piece.lastIndexOf(NEWLINE);
      if (end < 0) {
        rest.push(Buffer.from(piece));
        restLength += piece.length;
        if (restLength > MAX_LINE_BYTES)
          throw new IngestError(name, 0, [], `a line is longer than ${MAX_LINE_BYTES} bytes`);
        continue;
      }
      yield Buffer.concat([...rest, piece.subarray(0, end)]);
      const tail = Buffer.from(piece.subarray(end + 1));
      rest = tail.length === 0 ? [] : [tail];
      restLength = tail.length;
    }
  }
  if (restLength > 0) yield Buffer.concat(rest);
}

const BYTE_ORDER_MARK = Buffer.from("\uFEFF");

/** The records of a block that begins behind line `before`, each made when it is asked for; tells the number of its last line. */
function* readLines(
  block: Buffer,
  before: number,
  ended: (last: number) => void,
): Generator<SourceRecord, void, undefined> {
  const valid = isUtf8(block);
  let position = before;
  let from = before === 0 && block.indexOf(BYTE_ORDER_MARK) === 0 ? BYTE_ORDER_MARK.length : 0;
  while (from <= block.length) {
    const found = block.indexOf(NEWLINE, from);
    const end = found < 0 ? block.length : found;
    position++;
    const bytes = block.subarray(from, end);
    if (valid || isUtf8(bytes)) {
      const text = bytes.toString("utf8");
      if (!isBlank(text)) yield { position, text, bytes };
    } else yield { position, text: new InvalidRecord([], "is not UTF-8") };
    from = end + 1;
  }
  ended(position);
}

function isBlank(line: string): boolean {
  return line.charCodeAt(0) !== OPEN_BRACE && line.trim() === "";
}
