import { isUtf8 } from "node:buffer";
import { lineBlocks, linesOf, MAX_LINE_BYTES } from "../../bytes/lines.ts";
import { PackFault, unpacked } from "../../bytes/unpack.ts";
import { IngestError } from "../../errors.ts";
import { InvalidRecord } from "../record/invalid-record.ts";
import { sizeReason } from "../record/record-size.ts";
import type { RecordSource, SourceRecord } from "./record-source.ts";

/**
 * NDJSON bytes, plain or packed by gzip or Zstandard (told by their first bytes), as records; blank lines count but are
 * none.
 */
export function ndjsonSource(
  bytes: AsyncIterable<Uint8Array>,
  name: string,
  totalBytes: number | null,
): RecordSource {
  const read = { bytes: 0 };
  async function* groups() {
    let line = 0;
    const tooLong = () =>
      new IngestError(name, line + 1, [], sizeReason(`more than ${MAX_LINE_BYTES / 1e6}`));
    try {
      for await (const block of lineBlocks(unpacked(bytes, read), tooLong)) {
        const before = line;
        const records = { [Symbol.iterator]: () => readLines(block, before, (last) => (line = last)) };
        yield { records, bytes: read.bytes };
      }
    } catch (error) {
      if (!(error instanceof PackFault)) throw error;
      throw new IngestError(name, line + 1, [], `cannot be read: ${error.message}`, { cause: error });
    }
  }
  return { name, totalBytes, groups: groups() };
}

const OPEN_BRACE = 123;
const BYTE_ORDER_MARK = Buffer.from("\uFEFF");

/**
 * The records of a block that begins behind line `before`, each made when it is asked for; tells the number of its last
 * line.
 */
function* readLines(
  block: Buffer,
  before: number,
  ended: (last: number) => void,
): Generator<SourceRecord, void, undefined> {
  const valid = isUtf8(block);
  const isMarked = before === 0 && block.indexOf(BYTE_ORDER_MARK) === 0;
  const at = { line: before };
  for (const bytes of linesOf(isMarked ? block.subarray(BYTE_ORDER_MARK.length) : block, at)) {
    const position = at.line;
    if (valid || isUtf8(bytes)) {
      const text = bytes.toString("utf8");
      if (!isBlank(text)) yield { position, text, bytes };
    } else yield { position, text: new InvalidRecord([], "is not UTF-8") };
  }
  ended(at.line);
}

function isBlank(line: string): boolean {
  return line.charCodeAt(0) !== OPEN_BRACE && line.trim() === "";
}
