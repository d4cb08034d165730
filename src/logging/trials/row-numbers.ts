import { createHash } from "node:crypto";

/** Numbers rows from 0, in 20 to 40 bytes a row: an evaluation may have millions. */
export interface RowNumbers {
  /** The number of a row, or -1, at a place that its hash tells. */
  slots: Int32Array<ArrayBuffer>;
  hashes: Uint32Array<ArrayBuffer>;
  count: number;
}

/** Words of a hash that are kept. Two of a million rows have the same 96 bits with a probability of 1e-17. */
const WORDS = 3;
const FIRST_SLOTS = 1024;

export function createRowNumbers(): RowNumbers {
  return {
    slots: new Int32Array(FIRST_SLOTS).fill(-1),
    hashes: new Uint32Array((FIRST_SLOTS / 2) * WORDS),
    count: 0,
  };
}

/** The number of the row with this digest, which is a new one if it has none. */
export function rowNumber(rows: RowNumbers, digest: string): number {
  const words = hashWords(digest);
  const slot = slotOf(rows, words, 0);
  const known = rows.slots[slot] ?? -1;
  if (known >= 0) return known;
  const number = rows.count++;
  rows.hashes.set(words, number * WORDS);
  rows.slots[slot] = number;
  if (rows.count * 2 >= rows.slots.length) grow(rows);
  return number;
}

function slotOf({ slots, hashes }: RowNumbers, words: Uint32Array, at: number): number {
  const mask = slots.length - 1;
  for (let slot = (words[at] ?? 0) & mask; ; slot = (slot + 1) & mask) {
    const number = slots[slot] ?? -1;
    if (number < 0 || isSame(hashes, number * WORDS, words, at)) return slot;
  }
}

function grow(rows: RowNumbers): void {
  const hashes = new Uint32Array(rows.hashes.length * 2);
  hashes.set(rows.hashes);
  rows.hashes = hashes;
  rows.slots = new Int32Array(rows.slots.length * 2).fill(-1);
  for (let number = 0; number < rows.count; number++)
    rows.slots[slotOf(rows, hashes, number * WORDS)] = number;
}

function hashWords(digest: string): Uint32Array {
  const hash = createHash("sha256").update(digest).digest();
  return Uint32Array.from({ length: WORDS }, (_, i) => hash.readUInt32LE(i * 4));
}

function isSame(a: Uint32Array, i: number, b: Uint32Array, j: number): boolean {
  return a[i] === b[j] && a[i + 1] === b[j + 1] && a[i + 2] === b[j + 2];
}
