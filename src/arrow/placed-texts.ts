import type { ChunkTexts, ColumnValues } from "../model/columns.ts";
import type { Turns } from "../model/turns.ts";
import { batchRanges, type BatchCut } from "./batch-cut.ts";
import { copyText } from "./copy-text.ts";
import { columnOf, layOut, type TextPart } from "./text-part.ts";

/** So many texts are copied at once. */
const TOGETHER = 32;
const CACHE_LINE = 64;

/**
 * A column of texts that come in any order, once their lengths are known: each is copied to where it belongs. What
 * has no length is null.
 */
export class PlacedTexts {
  readonly #parts: readonly TextPart[];
  readonly #bits: number;
  readonly #mask: number;
  /** Whether most texts reach over cache lines. */
  readonly #long: boolean;

  private constructor({ length, bits }: BatchCut, parts: readonly TextPart[]) {
    this.#parts = parts;
    this.#bits = bits;
    this.#mask = (1 << bits) - 1;
    this.#long = parts.reduce((sum, { bytes }) => sum + bytes.length, 0) > length * CACHE_LINE;
  }

  /** `lengths`: by place, -1 for null. */
  static async make(cut: BatchCut, lengths: Int32Array, turns: Turns): Promise<PlacedTexts> {
    const parts: TextPart[] = [];
    for (const [from, to] of batchRanges(cut)) {
      await turns.take();
      parts.push(layOut(lengths.subarray(from, to)));
    }
    return new PlacedTexts(cut, parts);
  }

  /** Copies texts `first` to `end` of a chunk to their places; -1 is no place. */
  place(places: Int32Array, texts: ChunkTexts, first: number, end: number): void {
    if (!this.#long) return this.#copy(places, texts, first, end);
    for (let from = first; from < end; from += TOGETHER) {
      const to = Math.min(from + TOGETHER, end);
      this.#touch(places, from, to);
      this.#copy(places, texts, from, to);
    }
  }

  #copy(places: Int32Array, texts: ChunkTexts, from: number, to: number): void {
    const parts = this.#parts;
    const bits = this.#bits;
    const mask = this.#mask;
    for (let i = from; i < to; i++) {
      const place = places[i] ?? -1;
      const part = parts[place >> bits];
      if (part === undefined) continue;
      const at = part.offsets[place & mask] ?? 0;
      const length = (part.offsets[(place & mask) + 1] ?? 0) - at;
      if (length === 0) continue;
      if (texts.lengths[i] !== length) throw new RangeError("a text is not as long as it was said to be");
      copyText(texts, texts.starts[i] ?? 0, part, at, length);
    }
  }

  /**
   * Writes where the next texts go to, a byte a cache line: memory that is far apart is fetched side by side, where
   * copying would wait for each line.
   */
  #touch(places: Int32Array, from: number, to: number): void {
    const parts = this.#parts;
    const bits = this.#bits;
    const mask = this.#mask;
    for (let i = from; i < to; i++) {
      const place = places[i] ?? -1;
      const part = parts[place >> bits];
      if (part === undefined) continue;
      const { bytes } = part;
      const end = part.offsets[(place & mask) + 1] ?? 0;
      for (let at = part.offsets[place & mask] ?? 0; at < end; at += CACHE_LINE) bytes[at] = 0;
    }
  }

  /** A column for each batch. */
  take(): ColumnValues[] {
    return this.#parts.map(columnOf);
  }
}
