import { hash } from "node:crypto";

/** The lower half of the MD5 of an identity, which `calls` keeps of each call and of its parent. */
export interface IdentityHash {
  readonly low: number;
  readonly high: number;
}

/** The result of DuckDB's `md5_number_lower`, as two 32-bit words. */
export function identityHash(identity: string): IdentityHash {
  const bytes = hash("md5", identity, "binary");
  return { low: word(bytes, 8), high: word(bytes, 12) };
}

function word(bytes: string, at: number): number {
  return (
    bytes.charCodeAt(at) |
    (bytes.charCodeAt(at + 1) << 8) |
    (bytes.charCodeAt(at + 2) << 16) |
    (bytes.charCodeAt(at + 3) << 24)
  );
}

/** Hashes as a column of 64-bit words; null stays null. */
export function hashColumn(hashes: readonly (IdentityHash | null)[]): (bigint | null)[] {
  const words = new Int32Array(2);
  const number = new BigUint64Array(words.buffer);
  return hashes.map((one) => {
    if (one === null) return null;
    words[0] = one.low;
    words[1] = one.high;
    return number[0] ?? null;
  });
}
