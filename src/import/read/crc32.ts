import * as zlib from "node:zlib";

type Crc = (bytes: Uint8Array, before?: number) => number;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let word = byte;
  for (let bit = 0; bit < 8; bit++) word = word & 1 ? 0xedb88320 ^ (word >>> 1) : word >>> 1;
  return word >>> 0;
});

function crcByTable(bytes: Uint8Array, before = 0): number {
  let crc = ~before;
  for (const byte of bytes) crc = (TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** CRC-32 of the bytes, continued from that of the bytes before them. `node:zlib` has it from Node 22.2 on. */
export const crc32: Crc = "crc32" in zlib && typeof zlib.crc32 === "function" ? zlib.crc32 : crcByTable;
