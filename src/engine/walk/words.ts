import { randomInt } from "node:crypto";
import { GrowingBytes, lengthened } from "../../bytes/growing.ts";

const FIRST_SLOTS = 1024;
/** The number of no word. */
const NO_WORD = -1;

/** Texts of which many are the same: each is kept once as bytes, and made a string when it is asked for. */
export class Words {
  /** The number of the word of each text. */
  #codes = new Int32Array(FIRST_SLOTS);
  #length = 0;
  #slots = new Int32Array(FIRST_SLOTS).fill(NO_WORD);
  /** Where each word begins among the bytes, and its hash. */
  #starts = new Int32Array(FIRST_SLOTS);
  #hashes = new Int32Array(FIRST_SLOTS);
  #count = 0;
  readonly #bytes = new GrowingBytes(FIRST_SLOTS);
  readonly #strings: string[] = [];

  /** Adds the text in these bytes; null for none. */
  add(bytes: Uint8Array | null, from: number, to: number): void {
    if (this.#length === this.#codes.length) this.#codes = lengthened(this.#codes);
    this.#codes[this.#length++] = bytes === null ? NO_WORD : this.#codeOf(bytes, from, to);
  }

  at(place: number): string | null {
    const code = this.#codes[place] ?? NO_WORD;
    return code === NO_WORD ? null : (this.#strings[code] ??= Buffer.from(this.#word(code)).toString("utf8"));
  }

  /** Compares two texts by their bytes. */
  compare(a: number, b: number): number {
    return Buffer.compare(this.#word(this.#codes[a] ?? 0), this.#word(this.#codes[b] ?? 0));
  }

  #codeOf(bytes: Uint8Array, from: number, to: number): number {
    const hash = hashOf(bytes, from, to);
    let slot = hash & (this.#slots.length - 1);
    for (let code = this.#slots[slot] ?? NO_WORD; code !== NO_WORD; code = this.#slots[slot] ?? NO_WORD) {
      if (this.#hashes[code] === hash && this.#isWord(code, bytes, from, to)) return code;
      slot = (slot + 1) & (this.#slots.length - 1);
    }
    if (this.#count + 2 > this.#starts.length) {
      this.#starts = lengthened(this.#starts);
      this.#hashes = lengthened(this.#hashes);
    }
    this.#bytes.append(bytes.subarray(from, to));
    const code = this.#count++;
    this.#hashes[code] = hash;
    this.#starts[code + 1] = this.#bytes.length;
    this.#slots[slot] = code;
    if (this.#count * 2 > this.#slots.length) this.#grow();
    return code;
  }

  #isWord(code: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = this.#starts[code] ?? 0;
    if ((this.#starts[code + 1] ?? 0) - start !== to - from) return false;
    for (let i = from; i < to; i++) if (this.#bytes.bytes[start + i - from] !== bytes[i]) return false;
    return true;
  }

  #grow(): void {
    const slots = new Int32Array(this.#slots.length * 2).fill(NO_WORD);
    for (let code = 0; code < this.#count; code++) {
      let slot = (this.#hashes[code] ?? 0) & (slots.length - 1);
      while (slots[slot] !== NO_WORD) slot = (slot + 1) & (slots.length - 1);
      slots[slot] = code;
    }
    this.#slots = slots;
  }

  #word(code: number): Uint8Array {
    return this.#bytes.bytes.subarray(this.#starts[code], this.#starts[code + 1]);
  }
}

/** What nobody outside knows, so that nobody can choose texts with the same hash. */
const SEED = randomInt(2 ** 32);

/** FNV-1a. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = SEED;
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ (bytes[i] ?? 0), 0x01000193);
  return hash ^ (hash >>> 15);
}
