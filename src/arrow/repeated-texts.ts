import type { ChunkTexts, ColumnValues } from "../model/columns.ts";
import type { Turns } from "../model/turns.ts";
import { batchRanges, type BatchCut } from "./batch-cut.ts";
import { copyText, memoryOf, type Memory } from "./copy-text.ts";
import { columnOf, layOut } from "./text-part.ts";

/** Texts of which each may be that of many records. */
export class RepeatedTexts {
  /** For each text where it is, and its length, -1 for null. */
  readonly #pieces: Memory[] = [];
  readonly #starts: number[] = [];
  readonly #lengths: number[] = [];

  /** Keeps some texts. */
  addAll(texts: readonly string[]): void {
    for (const text of texts) {
      const piece = memoryOf(Buffer.from(text, "utf8"));
      this.#pieces.push(piece);
      this.#starts.push(0);
      this.#lengths.push(piece.bytes.length);
    }
  }

  /** Keeps the texts of a chunk. */
  add({ bytes, starts, lengths }: ChunkTexts): void {
    const total = lengths.reduce((sum, length) => sum + Math.max(0, length), 0);
    const piece = memoryOf(new Uint8Array(total));
    let at = 0;
    for (let i = 0; i < lengths.length; i++) {
      const length = lengths[i] ?? -1;
      const start = starts[i] ?? 0;
      this.#pieces.push(piece);
      this.#starts.push(at);
      this.#lengths.push(length);
      if (length <= 0) continue;
      piece.bytes.set(bytes.subarray(start, start + length), at);
      at += length;
    }
  }

  /** The lengths of some of them, by their numbers. */
  lengthsOf(which: Int32Array): Int32Array {
    return which.map((text) => this.#lengths[text] ?? -1);
  }

  /** The text of each record, `which` by its number; a column for each batch. */
  async take(cut: BatchCut, which: Int32Array, turns: Turns): Promise<ColumnValues[]> {
    const columns: ColumnValues[] = [];
    for (const [from, to] of batchRanges(cut)) {
      const texts = which.subarray(from, to);
      const part = layOut(this.lengthsOf(texts));
      for (let i = 0; i < texts.length; i += SOME) {
        await turns.take();
        this.#copy(texts.subarray(i, i + SOME), part, part.offsets.subarray(i));
      }
      columns.push(columnOf(part));
    }
    return columns;
  }

  #copy(texts: Int32Array, target: Memory, offsets: Int32Array): void {
    for (let i = 0; i < texts.length; i++) {
      const text = texts[i] ?? 0;
      const piece = this.#pieces[text];
      const at = offsets[i] ?? 0;
      const length = (offsets[i + 1] ?? 0) - at;
      if (piece !== undefined && length > 0) copyText(piece, this.#starts[text] ?? 0, target, at, length);
    }
  }
}

/** So many texts are copied in one turn of the event loop. */
const SOME = 2048;
