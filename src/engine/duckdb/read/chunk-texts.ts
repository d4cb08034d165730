import { SHORT_TEXT } from "../../../arrow/views/text-views.ts";
import type { TextMemory, TextViews } from "../../../store/columns.ts";
import { bindings } from "../native/bindings.ts";
import { words } from "./gatherer.ts";
import { TEXT_BYTES } from "../native/string-layout.ts";
import { isValid } from "../native/validity.ts";

/** A place in a buffer has 31 bits. */
const LONGEST_RUN = 2 ** 30;

/**
 * The texts of a vector. A view is what DuckDB has of a text, but for its pointer: texts that lie together are copied
 * in one go, and the pointers become places where they were copied to.
 */
export class ChunkTexts {
  readonly #entries: Uint8Array;
  readonly #views: TextViews;

  /** The vector's data, which becomes the views, and its validity bits. */
  constructor(entries: Uint8Array, validity: Uint8Array | null) {
    this.#entries = entries;
    this.#views = { words: words(entries), validity };
  }

  /** Views of which those `from` to `to` point into `memory`; to be asked once of each text, while the vector is there. */
  read(memory: TextMemory, from: number, to: number): TextViews {
    const { words: views, validity } = this.#views;
    // The run: texts `first` to `i`, which lie from `begin` to `end`.
    let first = -1;
    let begin = 0;
    let end = 0;
    for (let i = from; i < to; i++) {
      if (validity !== null && !isValid(validity, i)) {
        views.fill(0, i * 4, i * 4 + 4);
        continue;
      }
      const length = views[i * 4] ?? 0;
      if (length <= SHORT_TEXT) continue;
      const pointer = pointerOf(views, i);
      if (first < 0 || pointer !== end || pointer + length - begin > LONGEST_RUN) {
        if (first >= 0) this.#copyRun(memory, first, i, begin, end);
        first = i;
        begin = pointer;
      }
      end = pointer + length;
    }
    if (first >= 0) this.#copyRun(memory, first, to, begin, end);
    return this.#views;
  }

  #copyRun(memory: TextMemory, first: number, next: number, begin: number, end: number): void {
    const { buffer, byteOffset } = this.#entries;
    const pointer = byteOffset + first * TEXT_BYTES + 8;
    const [number, start] = memory.append(bindings.get_data_from_pointer(buffer, pointer, end - begin));
    const { words: views } = this.#views;
    for (let i = first; i < next; i++) {
      if ((views[i * 4] ?? 0) <= SHORT_TEXT) continue;
      const place = start + (pointerOf(views, i) - begin);
      views[i * 4 + 2] = number;
      views[i * 4 + 3] = place;
    }
  }
}

function pointerOf(views: Uint32Array, i: number): number {
  return (views[i * 4 + 3] ?? 0) * 2 ** 32 + (views[i * 4 + 2] ?? 0);
}
