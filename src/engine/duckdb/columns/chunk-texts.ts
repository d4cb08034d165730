import type { ChunkTexts } from "../../../model/columns.ts";
import { bindings, type Vector } from "./bindings.ts";
import { dataOf, EXPECTED_ROWS, words } from "./gatherer.ts";
import { TEXT_BYTES, TEXT_GAP, SHORT_TEXT } from "./text-entries.ts";
import { isValid, validityOf } from "./validity.ts";

const NONE = -1;

/** Copies the texts of vectors, those that lie together in one go, always into the same memory. */
export class ChunkTextReader {
  #bytes = new Uint8Array(0);
  #view = new DataView(this.#bytes.buffer);
  #starts = new Int32Array(EXPECTED_ROWS);
  #lengths = new Int32Array(EXPECTED_ROWS);
  #used = 0;

  read(vector: Vector, count: number): ChunkTexts & { readonly kind: "texts" } {
    if (count > this.#starts.length) {
      this.#starts = new Int32Array(count);
      this.#lengths = new Int32Array(count);
    }
    const entries = dataOf(vector, count * TEXT_BYTES);
    const entryWords = words(entries);
    this.#used = 0;
    this.#measure(entryWords, validityOf(vector, count), count);
    for (let i = 0; i < count;) {
      const length = this.#lengths[i] ?? NONE;
      if (length > SHORT_TEXT) i = this.#copyRun(entries, entryWords, i, count);
      else {
        if (length > 0) this.#copyShort(entries, i, length);
        i++;
      }
    }
    return {
      kind: "texts",
      bytes: this.#bytes,
      view: this.#view,
      starts: this.#starts,
      lengths: this.#lengths.subarray(0, count),
    };
  }

  #measure(entryWords: Uint32Array, bits: Uint8Array | null, count: number): void {
    const lengths = this.#lengths;
    for (let i = 0; i < count; i++) {
      lengths[i] = bits === null || isValid(bits, i) ? (entryWords[i * 4] ?? 0) : NONE;
    }
  }

  #copyShort(entries: Uint8Array, i: number, length: number): void {
    const at = this.#extend(length);
    const from = i * TEXT_BYTES + 4;
    for (let k = 0; k < length; k++) this.#bytes[at + k] = entries[from + k] ?? 0;
    this.#starts[i] = at;
  }

  /** Copies the long texts from `first` on that follow one another in memory; gives the next record that is not done. */
  #copyRun(entries: Uint8Array, entryWords: Uint32Array, first: number, count: number): number {
    const lengths = this.#lengths;
    const begin = pointerOf(entryWords, first);
    let end = begin;
    let next = first;
    for (; next < count; next++) {
      const length = lengths[next] ?? NONE;
      if (length <= SHORT_TEXT) continue;
      const pointer = pointerOf(entryWords, next);
      if (pointer < end || pointer - end >= TEXT_GAP) break;
      end = pointer + length;
    }
    const run = bindings.get_data_from_pointer(
      entries.buffer,
      entries.byteOffset + first * TEXT_BYTES + 8,
      end - begin,
    );
    const at = this.#extend(run.length);
    this.#bytes.set(run, at);
    for (let i = first; i < next; i++) {
      const length = lengths[i] ?? NONE;
      if (length > SHORT_TEXT) this.#starts[i] = at + (pointerOf(entryWords, i) - begin);
      else if (length > 0) this.#copyShort(entries, i, length);
    }
    return next;
  }

  #extend(count: number): number {
    const at = this.#used;
    this.#used = at + count;
    if (this.#used > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(this.#used, this.#bytes.length * 2));
      grown.set(this.#bytes.subarray(0, at));
      this.#bytes = grown;
      this.#view = new DataView(grown.buffer);
    }
    return at;
  }
}

function pointerOf(entryWords: Uint32Array, i: number): number {
  return (entryWords[i * 4 + 3] ?? 0) * 2 ** 32 + (entryWords[i * 4 + 2] ?? 0);
}
