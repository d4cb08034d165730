const BLOCK_BYTES = 128 * 1024;

/** A Zstandard frame that holds these bytes as they are, in raw blocks (RFC 8878, 3.1.1). */
export function zstdFrame(content: string | Uint8Array): Buffer {
  const bytes = Buffer.from(content);
  // The magic number, no optional field, and a window of 2 MiB.
  const parts = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58])];
  for (let at = 0; at === 0 || at < bytes.length; at += BLOCK_BYTES) {
    const block = bytes.subarray(at, at + BLOCK_BYTES);
    const isLast = at + BLOCK_BYTES >= bytes.length;
    const header = Buffer.alloc(3);
    header.writeUIntLE((block.length << 3) | (isLast ? 1 : 0), 0, 3);
    parts.push(header, block);
  }
  return Buffer.concat(parts);
}
