import { ArrowFault } from "../arrow-fault.ts";

const MAGIC = 0x184d2204;
const UNCOMPRESSED_BLOCK = 0x80000000;

/**
 * Decompresses an LZ4 frame of `size` bytes, giving way to the event loop between its blocks. Checksums are
 * stepped over. Format: https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md
 */
export async function decompressLz4(frame: Uint8Array, size: number): Promise<Uint8Array> {
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
  if (bytes.length < 7 || bytes.readUInt32LE(0) !== MAGIC) throw damaged();
  // A block grows at most by this factor.
  if (size > 255 * bytes.length) throw damaged();
  const flags = bytes[4] ?? 0;
  const hasBlockChecksums = (flags & 0x10) !== 0;
  const hasSize = (flags & 0x08) !== 0;
  const hasDictionary = (flags & 0x01) !== 0;
  if (flags >> 6 !== 1 || hasDictionary) throw damaged();
  const whole = new Uint8Array(size);
  let from = 7 + (hasSize ? 8 : 0);
  let to = 0;
  for (;;) {
    if (from + 4 > bytes.length) throw damaged();
    const mark = bytes.readUInt32LE(from);
    from += 4;
    if (mark === 0) break;
    const length = mark & ~UNCOMPRESSED_BLOCK;
    if (from + length > bytes.length) throw damaged();
    const block = bytes.subarray(from, from + length);
    to = mark >= UNCOMPRESSED_BLOCK ? copyBlock(block, whole, to) : decompressBlock(block, whole, to);
    from += length + (hasBlockChecksums ? 4 : 0);
    await new Promise((resume) => setImmediate(resume));
  }
  if (to !== size) throw damaged();
  return whole;
}

function copyBlock(block: Uint8Array, whole: Uint8Array, at: number): number {
  if (at + block.length > whole.length) throw damaged();
  whole.set(block, at);
  return at + block.length;
}

const LEAST_MATCH = 4;

/** Writes the bytes of a block from `start` on; returns their end. Matches may refer to earlier blocks. */
function decompressBlock(block: Uint8Array, whole: Uint8Array, start: number): number {
  let from = 0;
  let to = start;
  const extended = (length: number): number => {
    let sum = length;
    if (length < 15) return sum;
    for (let more = 255; more === 255;) {
      if (from >= block.length) throw damaged();
      more = block[from++] ?? 0;
      sum += more;
    }
    return sum;
  };
  while (from < block.length) {
    const token = block[from++] ?? 0;
    const literals = extended(token >> 4);
    if (from + literals > block.length || to + literals > whole.length) throw damaged();
    if (literals > 32) whole.set(block.subarray(from, from + literals), to);
    else for (let i = 0; i < literals; i++) whole[to + i] = block[from + i] ?? 0;
    from += literals;
    to += literals;
    if (from >= block.length) break;
    const distance = (block[from] ?? 0) | ((block[from + 1] ?? 0) << 8);
    from += 2;
    const match = extended(token & 15) + LEAST_MATCH;
    if (distance === 0 || distance > to || to + match > whole.length) throw damaged();
    if (distance >= match) whole.copyWithin(to, to - distance, to - distance + match);
    else for (let i = 0; i < match; i++) whole[to + i] = whole[to + i - distance] ?? 0;
    to += match;
  }
  return to;
}

function damaged(): ArrowFault {
  return new ArrowFault("has a buffer that is no LZ4 frame of the announced size");
}
