import type { ColumnValues, TextViews } from "../../store/columns.ts";
import { isSet, setBit, validityOfPresent } from "../bits.ts";
import type { Parking } from "./parking.ts";
import { TextBuffers } from "./text-buffers.ts";

/** A column of texts that come in any order. What does not come is null. */
export class PlacedViews {
  /** What the texts lie in. */
  readonly memory: TextBuffers;
  readonly #words: Uint32Array<ArrayBuffer>;
  readonly #present: Uint8Array<ArrayBuffer>;

  constructor(length: number, parking: Parking) {
    this.memory = new TextBuffers(parking);
    this.#words = new Uint32Array(4 * length);
    this.#present = new Uint8Array((length + 7) >> 3);
  }

  /** Texts `from` to `to` of a chunk, which lie in `memory`, at their places; -1 is no place. */
  place(places: Int32Array, { words, validity }: TextViews, from: number, to: number): void {
    const target = this.#words;
    const present = this.#present;
    for (let i = from; i < to; i++) {
      const place = places[i] ?? -1;
      if (place < 0 || (validity !== null && !isSet(validity, i))) continue;
      setBit(present, place);
      const at = 4 * place;
      target[at] = words[4 * i] ?? 0;
      target[at + 1] = words[4 * i + 1] ?? 0;
      target[at + 2] = words[4 * i + 2] ?? 0;
      target[at + 3] = words[4 * i + 3] ?? 0;
    }
  }

  /** `parked`: what was in the parking. */
  take(parked: readonly Uint8Array<ArrayBuffer>[]): ColumnValues {
    const length = this.#words.length >> 2;
    return {
      length,
      ...validityOfPresent(this.#present, length),
      bytes: new Uint8Array(this.#words.buffer),
      offsets: null,
      children: [],
      buffers: this.memory.all(parked),
    };
  }
}
