import { randomInt } from "node:crypto";
import { isValid } from "../../arrow/bits.ts";
import { GrowingBytes, lengthened } from "../../bytes/growing.ts";
import { columnKind, type TreeColumn } from "../../compile/walk/call-tree.ts";
import type { ColumnValues } from "../../store/columns.ts";
import { NONE } from "./hash-index.ts";

/** Values of 64 bits, as they lie in memory. */
export interface Halves {
  /** The lower half of each at an even place, the upper one behind it. */
  readonly words: Int32Array;
  readonly longs: BigInt64Array;
}

/** A column of texts; null for none. */
export interface TextColumn {
  readonly at: (place: number) => string | null;
}

/** Texts of which many are the same: equal ones have equal codes, -1 for none. */
export interface WordColumn extends TextColumn {
  readonly codes: Int32Array;
}

const WIDTHS = { halves: 8, double: 8, byte: 1, word: 4 } as const;

/** The values of a column, which are added in parts. */
export class TreeValues {
  readonly #kind: ReturnType<typeof columnKind>;
  readonly #words = new Words();
  readonly #texts = new Texts();
  #parts: Uint8Array[] = [];

  constructor(name: TreeColumn) {
    this.#kind = columnKind(name);
  }

  add(values: ColumnValues): void {
    const { bytes, length } = values;
    if (this.#kind === "text") this.#texts.add(values);
    else if (this.#kind === "word") this.#parts.push(this.#codesOf(values));
    else if (bytes !== null) this.#parts.push(bytes.subarray(0, length * WIDTHS[this.#kind]));
  }

  get texts(): Texts {
    return this.#texts;
  }

  get words(): Words {
    return this.#words;
  }

  /** All values in one piece of memory, for so many calls: each at its place, -1 for none, or in their order. */
  take(length: number, places: Int32Array | null): ArrayBuffer {
    const width = this.#kind === "text" ? 0 : WIDTHS[this.#kind];
    const found = this.#parts.reduce((sum, part) => sum + part.length, 0);
    const values = new Uint8Array(places === null ? Math.max(found, length * width) : found);
    let at = 0;
    for (const part of this.#parts.splice(0)) {
      values.set(part, at);
      at += part.length;
    }
    if (places !== null) return this.#scattered(values.buffer, length * width, places);
    this.#fill(values.buffer, found / width);
    return values.buffer;
  }

  #scattered(values: ArrayBuffer, byteLength: number, places: Int32Array): ArrayBuffer {
    const target = new ArrayBuffer(byteLength);
    this.#fill(target, 0);
    const [from, to] =
      this.#kind === "byte"
        ? [new Uint8Array(values), new Uint8Array(target)]
        : [new Int32Array(values), new Int32Array(target)];
    const step = this.#kind === "halves" || this.#kind === "double" ? 2 : 1;
    for (let i = 0; i < places.length; i++) {
      const place = places[i] ?? NONE;
      if (place === NONE) continue;
      for (let part = 0; part < step; part++) to[place * step + part] = from[i * step + part] ?? 0;
    }
    return target;
  }

  /** What stands where no value is. */
  #fill(values: ArrayBuffer, from: number): void {
    if (this.#kind === "double") new Float64Array(values).fill(NONE, from);
    if (this.#kind === "word") new Int32Array(values).fill(NONE, from);
  }

  #codesOf({ bytes, offsets, validity, length }: ColumnValues): Uint8Array {
    const codes = new Int32Array(length).fill(NONE);
    for (let i = 0; i < length; i++)
      if (bytes !== null && isValid(validity, i))
        codes[i] = this.#words.codeOf(bytes, offsets?.[i] ?? 0, offsets?.[i + 1] ?? 0);
    return new Uint8Array(codes.buffer);
  }
}

interface Part extends ColumnValues {
  /** The place of its first text. */
  readonly from: number;
}

/** Texts that hardly are the same, as they were read: each becomes a string when it is asked for. */
export class Texts {
  readonly #parts: Part[] = [];
  #length = 0;

  add(values: ColumnValues): void {
    this.#parts.push({ ...values, from: this.#length });
    this.#length += values.length;
  }

  at(place: number): string | null {
    const bytes = this.#bytesAt(place);
    return bytes === null ? null : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
  }

  /** Compares two texts by their bytes. */
  compare(a: number, b: number): number {
    return Buffer.compare(this.#bytesAt(a) ?? NOTHING, this.#bytesAt(b) ?? NOTHING);
  }

  #bytesAt(place: number): Uint8Array<ArrayBuffer> | null {
    const part = this.#parts.findLast(({ from }) => from <= place);
    if (part === undefined) return null;
    const { bytes, offsets, validity, from } = part;
    const i = place - from;
    if (bytes === null || !isValid(validity, i)) return null;
    return bytes.subarray(offsets?.[i], offsets?.[i + 1]);
  }
}

const NOTHING = new Uint8Array(0);

const FIRST_SLOTS = 1024;

/** Texts of which many are the same: each is kept once as bytes, and made a string when it is asked for. */
class Words {
  #slots = new Int32Array(FIRST_SLOTS).fill(NONE);
  /** Where each word begins among the bytes, and its hash. */
  #starts = new Int32Array(FIRST_SLOTS);
  #hashes = new Int32Array(FIRST_SLOTS);
  #count = 0;
  readonly #bytes = new GrowingBytes(FIRST_SLOTS);
  readonly #strings: string[] = [];

  /** The word of a code; null for what is none. */
  word(code: number): string | null {
    return code === NONE ? null : (this.#strings[code] ??= Buffer.from(this.#word(code)).toString("utf8"));
  }

  /** The code of the text in these bytes. */
  codeOf(bytes: Uint8Array, from: number, to: number): number {
    const hash = hashOf(bytes, from, to);
    let slot = hash & (this.#slots.length - 1);
    for (let code = this.#slots[slot] ?? NONE; code !== NONE; code = this.#slots[slot] ?? NONE) {
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
    const slots = new Int32Array(this.#slots.length * 2).fill(NONE);
    for (let code = 0; code < this.#count; code++) {
      let slot = (this.#hashes[code] ?? 0) & (slots.length - 1);
      while (slots[slot] !== NONE) slot = (slot + 1) & (slots.length - 1);
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
