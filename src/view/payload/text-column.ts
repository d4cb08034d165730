import { packedSize, packNumbers, unpackNumbers } from "./number-column.ts";
import type { PayloadColumn } from "./payload-rows.ts";

const ABSENT = -1;
/** Bytes of a chunk of texts, where no text is longer. */
const CHUNK = 2 ** 16;

/** Texts that are added in the order of their places, as UTF-8. */
export class TextStore {
  readonly #lengths: Int32Array;
  /** The texts end to end; the last chunk is filled up to `#end`. */
  readonly #chunks: Uint8Array[] = [];
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
    let chunk = this.#chunks.at(-1);
    if (chunk === undefined || this.#end + bytes.length > chunk.length) {
      if (chunk !== undefined) this.#chunks[this.#chunks.length - 1] = chunk.subarray(0, this.#end);
      chunk = new Uint8Array(Math.max(CHUNK, bytes.length));
      this.#chunks.push(chunk);
      this.#end = 0;
    }
    chunk.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  *texts(): Generator<string | undefined> {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    let [i, at] = [0, 0];
    for (const length of this.#lengths) {
      if (length === ABSENT) {
        yield undefined;
        continue;
      }
      while (at + length > (this.#chunks[i]?.length ?? Infinity)) [i, at] = [i + 1, 0];
      yield decoder.decode(this.#chunks[i]?.subarray(at, at + length));
      at += length;
    }
  }

  /** The bytes of the texts behind the first `from` ones and before the place `to`. */
  *bytes(from = 0, to = Infinity): Generator<Uint8Array> {
    let at = 0;
    for (const [i, chunk] of this.#chunks.entries()) {
      const used = i === this.#chunks.length - 1 ? this.#end : chunk.length;
      const [start, end] = [Math.max(0, from - at), Math.min(used, to - at)];
      if (start < end) yield chunk.subarray(start, end);
      at += used;
    }
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

const ENCODER = new TextEncoder();

/** Texts that stay bytes until they are read. */
export interface TextColumn {
  readonly count: number;
  /** Undefined where there is none. */
  readonly at: (place: number) => string | undefined;
  readonly has: (place: number) => boolean;
}

/** The texts of {@link TextStore}. */
export function unpackTexts(packed: Uint8Array): TextColumn {
  const size = new DataView(packed.buffer, packed.byteOffset).getUint32(0, true);
  const lengths = unpackNumbers(packed.slice(4, 4 + size));
  const starts = new Float64Array(lengths.length);
  let next = 4 + size;
  lengths.forEach((length, i) => {
    starts[i] = next;
    next += Math.max(0, length);
  });
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const has = (place: number) => (lengths[place] ?? ABSENT) !== ABSENT;
  return {
    count: lengths.length,
    has,
    at: (place) => {
      if (!has(place)) return undefined;
      const start = starts[place] ?? 0;
      return decoder.decode(packed.subarray(start, start + (lengths[place] ?? 0)));
    },
  };
}
