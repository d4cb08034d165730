import { hash } from "node:crypto";
import { word } from "../../model/digest.ts";
import type { PackedColumn } from "../../store/session.ts";

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

/** Hashes as a column of 64-bit words, laid out in memory without a `bigint` for each; null stays null. */
export function hashColumn(name: string, hashes: readonly (IdentityHash | null)[]): PackedColumn {
  const { length } = hashes;
  const words = new Int32Array(length * 2);
  let validity: Uint8Array<ArrayBuffer> | null = null;
  let nulls = 0;
  for (const [i, one] of hashes.entries()) {
    if (one === null) {
      validity ??= new Uint8Array(Math.ceil(length / 64) * 8).fill(255);
      validity[i >> 3] = (validity[i >> 3] ?? 0) & ~(1 << (i & 7));
      nulls++;
      continue;
    }
    words[i * 2] = one.low;
    words[i * 2 + 1] = one.high;
  }
  const bytes = new Uint8Array(words.buffer);
  return { name, type: "UBIGINT", values: { length, nulls, validity, bytes, offsets: null, children: [] } };
}
