import type { FileHandle } from "node:fs/promises";

const PAGE_BYTES = 4096;
/**
 * Bytes of the three pages before the blocks: the file's own page, and two headers; the header with the higher
 * iteration counts.
 */
export const HEADER_BYTES = 3 * PAGE_BYTES;

/** Fields of a header of a DuckDB file (DuckDB 1.5, `DatabaseHeader`). */
export interface Header {
  /** Counts the checkpoints of the database. */
  readonly iteration: bigint;
  readonly blockBytes: number;
}

/** Whether the letters `DUCK` follow the checksum of the first page. */
export function isDuckDB(pages: Buffer): boolean {
  return pages.toString("latin1", 8, 12) === "DUCK";
}

/** Returns the newest header that is whole; null where none is whole. */
export function readHeader(pages: Buffer): Header | null {
  let newest: Header | null = null;
  for (const start of [PAGE_BYTES, 2 * PAGE_BYTES]) {
    const page = pages.subarray(start, start + PAGE_BYTES);
    if (!isWhole(page)) continue;
    const header = { iteration: page.readBigUInt64LE(8), blockBytes: Number(page.readBigUInt64LE(40)) };
    if (newest === null || header.iteration > newest.iteration) newest = header;
  }
  return newest;
}

/** Reads the first three pages of a file; bytes beyond its end are zeros. */
export async function readPages(database: FileHandle): Promise<Buffer> {
  const pages = Buffer.alloc(HEADER_BYTES);
  await database.read(pages, 0, HEADER_BYTES, 0);
  return pages;
}

const MULTIPLIER = 0xbf58476d1ce4e5b9n;

/** Whether a page or block begins with the checksum of the bytes after it (DuckDB 1.5, `src/common/checksum.cpp`). */
export function isWhole(block: Buffer): boolean {
  let sum = 5381n;
  for (let i = 8; i + 8 <= block.length; i += 8) sum ^= block.readBigUInt64LE(i) * MULTIPLIER;
  return BigInt.asUintN(64, sum) === block.readBigUInt64LE(0);
}
