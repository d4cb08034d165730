const NEWLINE = 10;
const BLOCK_BYTES = 256 * 1024;
/** A longer line is refused. */
export const MAX_LINE_BYTES = 256 * 1024 * 1024;

/** Cuts a byte stream at line ends into blocks of about 256 KiB, which are copies: the stream may reuse its own. */
export async function* lineBlocks(
  bytes: AsyncIterable<Uint8Array>,
  tooLong: () => Error,
): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  let restLength = 0;
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.byteLength; at += BLOCK_BYTES) {
      const size = Math.min(BLOCK_BYTES, chunk.byteLength - at);
      const piece = Buffer.from(chunk.buffer, chunk.byteOffset + at, size);
      const end = piece.lastIndexOf(NEWLINE);
      if (end < 0) {
        rest.push(Buffer.from(piece));
        restLength += piece.length;
        if (restLength > MAX_LINE_BYTES) throw tooLong();
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

/**
 * The lines of a block that hold more than blanks; `at.line` becomes the number of each, and at the end that of the
 * last line.
 */
export function* linesOf(block: Buffer, at: { line: number }): Generator<Buffer, void, undefined> {
  at.line++;
  let from = 0;
  for (let i = 0; i < block.length; i++) {
    const byte = block[i] ?? 0;
    if (byte === NEWLINE) {
      at.line++;
      from = i + 1;
    } else if (!isBlank(byte)) {
      const found = block.indexOf(NEWLINE, i);
      const end = found < 0 ? block.length : found;
      yield block.subarray(from, end);
      i = end - 1;
    }
  }
}

function isBlank(byte: number): boolean {
  return byte === 32 || (byte >= 9 && byte <= 13);
}
