import { deflateRawSync, inflateRawSync } from "node:zlib";
import { packedSize, packNumbers } from "./number-column.ts";
import type { PayloadColumn } from "./payload-rows.ts";
import { ABSENT } from "./text-column.ts";

/** Bytes of a chunk of texts, where no text is longer. */
const CHUNK = 2 ** 16;

/** Texts end to end, compressed. */
interface FullChunk {
  readonly packed: Uint8Array;
  readonly size: number;
}

/**
 * Texts that are added in the order of their places, as UTF-8. A chunk that is full is kept compressed: outputs take a fifth of the
 * memory, and a second for 100 MB.
 */
export class TextStore {
  readonly #lengths: Int32Array;
  readonly #full: FullChunk[] = [];
  /** The texts behind the full chunks, filled up to `#end`. */
  #last = new Uint8Array(0);
  #end = 0;
  #size = 0;

  constructor(count: number) {
    this.#lengths = new Int32Array(count).fill(ABSENT);
  }

  get count(): number {
    return this.#lengths.length;
  }

  /** Bytes of all texts. */
  get size(): number {
    return this.#size;
  }

  add(place: number, text: string | Uint8Array): void {
    const bytes = typeof text === "string" ? ENCODER.encode(text) : text;
    this.#lengths[place] = bytes.length;
    this.#size += bytes.length;
    if (this.#end + bytes.length > this.#last.length) {
      if (this.#end > 0) this.#full.push(packed(this.#last.subarray(0, this.#end)));
      this.#last = new Uint8Array(Math.max(CHUNK, bytes.length));
      this.#end = 0;
    }
    this.#last.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  *texts(): Generator<string | undefined> {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    const chunks = this.bytes();
    let chunk: Uint8Array = new Uint8Array(0);
    let at = 0;
    for (const length of this.#lengths) {
      if (length === ABSENT) {
        yield undefined;
        continue;
      }
      if (at + length > chunk.length) [chunk, at] = [chunks.next().value ?? chunk, 0];
      yield decoder.decode(chunk.subarray(at, at + length));
      at += length;
    }
  }

  /** The bytes of the texts behind the first `from` ones and before the place `to`. */
  *bytes(from = 0, to = Infinity): Generator<Uint8Array, undefined> {
    let at = 0;
    for (const { packed: bytes, size } of this.#full) {
      if (at < to && at + size > from) yield inflateRawSync(bytes).subarray(Math.max(0, from - at), to - at);
      at += size;
    }
    const [start, end] = [Math.max(0, from - at), Math.min(this.#end, to - at)];
    if (start < end) yield this.#last.subarray(start, end);
  }

  /** A column of the texts before a place: the size of the lengths, the lengths in bytes, the texts. */
  column(name: string, before = this.count): PayloadColumn {
    let size = 0;
    for (let i = 0; i < before; i++) size += Math.max(0, this.#lengths[i] ?? 0);
    return { name, size: 4 + packedSize(this.count) + size, parts: () => this.#parts(before, size) };
  }

  *#parts(before: number, size: number): Generator<Uint8Array> {
    const lengths = packNumbers(this.#lengths.map((length, place) => (place < before ? length : ABSENT)));
    const head = new Uint8Array(4);
    new DataView(head.buffer).setUint32(0, lengths.length, true);
    yield head;
    yield lengths;
    yield* this.bytes(0, size);
  }
}

function packed(texts: Uint8Array): FullChunk {
  // A copy, which has no room for more.
  return { packed: new Uint8Array(deflateRawSync(texts, { level: 1 })), size: texts.length };
}

const ENCODER = new TextEncoder();
