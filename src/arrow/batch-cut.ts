import type { Turns } from "../model/turns.ts";

/** How the records of a table are cut into batches: all of 2^bits records, but the last. */
export interface BatchCut {
  readonly length: number;
  readonly bits: number;
}

/** A batch has at most 2^16 records, and so few that its texts stay within some 64 MiB, but no less than 2^3. */
const MOST_BITS = 16;
const LEAST_BITS = 3;
const TEXT_BYTES = 64 * 2 ** 20;

/** `lengths`: those of the texts of each column, -1 for null. */
export async function cutBatches(
  length: number,
  lengths: readonly Int32Array[],
  turns: Turns,
): Promise<BatchCut> {
  const pieces = new Float64Array(Math.ceil(length / 2 ** LEAST_BITS));
  for (const [from, to] of batchRanges({ length, bits: MOST_BITS })) {
    for (const column of lengths) {
      await turns.take();
      for (let i = from; i < to; i++) {
        const piece = i >> LEAST_BITS;
        pieces[piece] = (pieces[piece] ?? 0) + Math.max(0, column[i] ?? 0);
      }
    }
  }
  let bits = MOST_BITS;
  while (bits > LEAST_BITS && largest(pieces, 2 ** (bits - LEAST_BITS)) > TEXT_BYTES) bits--;
  return { length, bits };
}

function largest(pieces: Float64Array, together: number): number {
  let most = 0;
  for (let from = 0; from < pieces.length; from += together) {
    let sum = 0;
    for (let i = from; i < Math.min(from + together, pieces.length); i++) sum += pieces[i] ?? 0;
    most = Math.max(most, sum);
  }
  return most;
}

/** The records of each batch, from and to. */
export function batchRanges({ length, bits }: BatchCut): (readonly [from: number, to: number])[] {
  const size = 2 ** bits;
  return Array.from({ length: Math.ceil(length / size) }, (_, i) => [
    i * size,
    Math.min(length, (i + 1) * size),
  ]);
}
