import type { ColumnValues, TextViews } from "../../store/columns.ts";
import type { Turns } from "../../model/turns.ts";
import { isSet, setBit, validityOfPresent } from "../bits.ts";
import { GrowingIntegers } from "./growing-integers.ts";
import { TextBuffers } from "./text-buffers.ts";
import { SHORT_TEXT } from "./text-views.ts";

/** So many views are copied in one turn of the event loop. */
const SOME = 65_536;
/** In place of a length. */
const NULL = -1;

/** Texts of which each may be that of many records. */
export class RepeatedViews {
  /** What the texts lie in. */
  readonly memory = new TextBuffers();
  readonly #words = new GrowingIntegers();

  /** Keeps the texts of a chunk, which lie in `memory`. */
  add({ words, validity }: TextViews): void {
    const from = this.#words.length;
    this.#words.append(new Int32Array(words.buffer, words.byteOffset, words.length));
    if (validity === null) return;
    const kept = this.#words.all();
    for (let i = 0; 4 * i < words.length; i++) if (!isSet(validity, i)) kept[from + 4 * i] = NULL;
  }

  addText(text: string): void {
    const bytes = Uint8Array.from(Buffer.from(text, "utf8"));
    const view = Int32Array.of(bytes.length, 0, 0, 0);
    const isLong = bytes.length > SHORT_TEXT;
    new Uint8Array(view.buffer).set(isLong ? bytes.subarray(0, 4) : bytes, 4);
    if (isLong) view.set(this.memory.append(bytes), 2);
    this.#words.append(view);
  }

  /** The text of each record, `which` by its number. */
  async take(which: Int32Array, turns: Turns): Promise<ColumnValues> {
    const { length } = which;
    const kept = this.#words.all();
    const words = new Int32Array(4 * length);
    const present = new Uint8Array((length + 7) >> 3);
    for (let i = 0; i < length; i++) {
      if (i % SOME === 0) await turns.take();
      const from = 4 * (which[i] ?? 0);
      if (kept[from] === NULL) continue;
      setBit(present, i);
      words[4 * i] = kept[from] ?? 0;
      words[4 * i + 1] = kept[from + 1] ?? 0;
      words[4 * i + 2] = kept[from + 2] ?? 0;
      words[4 * i + 3] = kept[from + 3] ?? 0;
    }
    return {
      length,
      ...validityOfPresent(present, length),
      bytes: new Uint8Array(words.buffer),
      offsets: null,
      children: [],
      buffers: this.memory.all(),
    };
  }
}
