import type { TextMemory } from "../../store/columns.ts";
import type { Parking } from "./parking.ts";

/** Smaller runs of texts are put together in blocks. */
const SMALL_RUN = 4096;
const LEAST_BLOCK = 1024;
const MOST_BLOCK = 65_536;

/** Memory for texts, which grows. Large runs of them stand in a parking until all texts are there. */
export class TextBuffers implements TextMemory {
  readonly #parking: Parking | null;
  /** Buffers, or their tickets. */
  readonly #buffers: (Uint8Array<ArrayBuffer> | number)[] = [];
  /** The block that has room, among the buffers. */
  #block = new Uint8Array(0);
  #number = -1;
  #used = 0;

  constructor(parking: Parking | null = null) {
    this.#parking = parking;
  }

  append(run: Uint8Array<ArrayBuffer>): readonly [buffer: number, start: number] {
    if (run.length >= SMALL_RUN) return [this.#buffers.push(this.#parking?.park(run) ?? run) - 1, 0];
    if (this.#number < 0 || this.#used + run.length > this.#block.length) this.#openBlock(run.length);
    const start = this.#used;
    this.#block.set(run, start);
    this.#used += run.length;
    return [this.#number, start];
  }

  /** `parked`: by ticket. */
  all(parked: readonly Uint8Array<ArrayBuffer>[] = []): Uint8Array<ArrayBuffer>[] {
    this.#trimBlock();
    return this.#buffers.map((buffer) => {
      const found = typeof buffer === "number" ? parked[buffer] : buffer;
      if (found === undefined) throw new RangeError(`no buffer is parked as ${String(buffer)}`);
      return found;
    });
  }

  #openBlock(least: number): void {
    this.#trimBlock();
    const size = Math.min(Math.max(LEAST_BLOCK, 2 * this.#block.length), MOST_BLOCK);
    this.#block = new Uint8Array(Math.max(size, least));
    this.#number = this.#buffers.push(this.#block) - 1;
    this.#used = 0;
  }

  #trimBlock(): void {
    if (this.#number >= 0) this.#buffers[this.#number] = this.#block.subarray(0, this.#used);
  }
}
