import { type DuckDBDataChunk, type DuckDBType, DuckDBVector } from "@duckdb/node-api";
import type { ColumnValues } from "../../store/columns.ts";
import {
  bytesFrom,
  dataOf,
  SHORT_TEXT,
  TEXT_BYTES,
  textLength,
  textPointer,
  validityOf,
  type Vector,
  vectorOf,
} from "../native/vectors.ts";
import { GrowingBytes } from "../../bytes/growing.ts";
import { isValid, ValidityBits } from "../../arrow/bits.ts";
import { decodeText, piecesOf } from "../../model/long-texts.ts";
import { EXPECTED_ROWS, type Gatherer, unrepresentable, words, ZERO } from "./gatherer.ts";

const MAX_BYTES = 0x7fffffff;

/** Gathers the bytes of texts or binaries end to end, without making a value of each. */
export function texts(expectedRows = EXPECTED_ROWS): Gatherer {
  const builder = new TextBuilder(expectedRows);
  return {
    append: (vector: Vector, from: number, count: number) => {
      const bits = validityOf(vector, from + count);
      const entries = dataOf(vector, (from + count) * TEXT_BYTES);
      builder.validity.append(bits, from, count);
      appendEntries(builder, entries, bits, from, count);
    },
    take: () => builder.take(),
    get size() {
      return builder.values.length + builder.offsets.length;
    },
  };
}

/** Gathers values of rare types as the text that DuckDB's client has for them. */
export function itemTexts(type: DuckDBType): Gatherer {
  const builder = new TextBuilder(EXPECTED_ROWS);
  return {
    append: (vector: Vector, from: number, count: number) => {
      builder.validity.append(validityOf(vector, from + count), from, count);
      const items = DuckDBVector.create(vector, from + count, type);
      const lengths = builder.room(count);
      for (let i = 0; i < count; i++) {
        const item = items.getItem(from + i);
        if (item !== null) builder.values.append(Buffer.from(String(item), "utf8"));
        lengths[i] = builder.checkedLength();
      }
    },
    take: () => builder.take(),
    get size() {
      return builder.values.length + builder.offsets.length;
    },
  };
}

class TextBuilder {
  readonly validity = new ValidityBits();
  readonly values: GrowingBytes;
  readonly offsets: GrowingBytes;

  constructor(expectedRows: number) {
    this.values = new GrowingBytes(expectedRows * 16);
    this.offsets = new GrowingBytes((expectedRows + 1) * 4);
  }

  /** Makes room for the end offsets of the next `count` texts. */
  room(count: number): Int32Array<ArrayBuffer> {
    if (this.offsets.length === 0) this.offsets.append(ZERO);
    const at = this.offsets.extend(count * 4);
    return new Int32Array(this.offsets.bytes.buffer, at, count);
  }

  checkedLength(): number {
    if (this.values.length > MAX_BYTES) {
      throw unrepresentable("a batch of more than 2 GiB of text", "select less text, or fewer records");
    }
    return this.values.length;
  }

  take(): ColumnValues {
    if (this.offsets.length === 0) this.offsets.append(ZERO);
    const offsets = this.offsets.take();
    return {
      ...this.validity.take(),
      bytes: this.values.take(),
      offsets: new Int32Array(offsets.buffer, offsets.byteOffset, offsets.length >> 2),
      children: [],
    };
  }
}

function appendEntries(
  builder: TextBuilder,
  entries: Uint8Array,
  bits: Uint8Array | null,
  from: number,
  count: number,
): void {
  const entryWords = words(entries);
  const ends = builder.room(count);
  let total = 0;
  const base = builder.values.length;
  for (let i = 0; i < count; i++) {
    if (isValid(bits, from + i)) total += textLength(entryWords, from + i);
    ends[i] = base + total;
  }
  builder.values.extend(total);
  builder.checkedLength();
  const copier = new RunCopier(entries, entryWords, builder.values.bytes);
  let at = base;
  for (let i = 0; i < count; i++) {
    const end = ends[i] ?? at;
    if (end > at) copier.copy(from + i, at, end - at);
    at = end;
  }
  copier.flush();
}

/** Copies texts; those that lie next to each other in DuckDB's memory are copied together. */
class RunCopier {
  readonly #entries: Uint8Array;
  readonly #words: Uint32Array;
  readonly #target: Uint8Array;
  /** The run: the entry that points at its first byte, the address of that byte, and the address where the run ends. */
  #first = 0;
  #start = 0;
  #end = -1;
  /**
   * Offset in the run, length and target of each finished part of the run; a new part begins where the target is
   * elsewhere. The last part is still open, in the members below.
   */
  readonly #parts: number[] = [];
  #offset = 0;
  #length = 0;
  #to = 0;

  constructor(entries: Uint8Array, entryWords: Uint32Array, target: Uint8Array) {
    this.#entries = entries;
    this.#words = entryWords;
    this.#target = target;
  }

  copy(entry: number, to: number, length: number): void {
    if (length <= SHORT_TEXT) {
      const start = entry * TEXT_BYTES + 4;
      for (let i = 0; i < length; i++) this.#target[to + i] = this.#entries[start + i] ?? 0;
      return;
    }
    const pointer = textPointer(this.#words, entry);
    if (this.#length === 0 || pointer !== this.#end) {
      this.flush();
      this.#first = entry;
      this.#start = pointer;
      this.#offset = 0;
      this.#to = to;
    } else if (this.#to + this.#length !== to) {
      this.#parts.push(this.#offset, this.#length, this.#to);
      this.#offset = pointer - this.#start;
      this.#length = 0;
      this.#to = to;
    }
    this.#length += length;
    this.#end = pointer + length;
  }

  flush(): void {
    if (this.#length === 0) return;
    const run = bytesFrom(this.#entries, this.#first, this.#end - this.#start);
    this.#parts.push(this.#offset, this.#length, this.#to);
    for (let i = 0; i < this.#parts.length; i += 3) {
      const offset = this.#parts[i] ?? 0;
      this.#target.set(run.subarray(offset, offset + (this.#parts[i + 1] ?? 0)), this.#parts[i + 2]);
    }
    this.#parts.length = 0;
    this.#length = 0;
  }
}

/** Texts of a chunk that have more bytes than this are read each by itself. */
const LONG_BYTES = 1024 * 1024;

/**
 * Reads the texts of a column one by one, as long as the chunk is held. The bytes of short ones are copied together:
 * the client makes a buffer for each text, which costs more than the text and adds an object for the garbage collector
 * to find. `areLong`: each takes a turn.
 */
export function textItems(chunk: DuckDBDataChunk, column: number) {
  const vector = vectorOf(chunk.chunk, column);
  const { rowCount } = chunk;
  const entries = dataOf(vector, rowCount * TEXT_BYTES);
  const validity = validityOf(vector, rowCount);
  const entryWords = words(entries);
  let total = 0;
  for (let i = 0; i < rowCount; i++) if (isValid(validity, i)) total += textLength(entryWords, i);
  if (total <= LONG_BYTES) return { item: together(vector, rowCount), areLong: false };
  const item = (record: number): string | null | Promise<string> => {
    if (!isValid(validity, record)) return null;
    const length = textLength(entryWords, record);
    const start = record * TEXT_BYTES + 4;
    const bytes =
      length <= SHORT_TEXT ? entries.subarray(start, start + length) : bytesFrom(entries, record, length);
    return length < LONG_BYTES ? Buffer.from(bytes).toString("utf8") : decodeText(piecesOf(bytes));
  };
  return { item, areLong: true };
}

function together(vector: Vector, rowCount: number): (record: number) => string | null {
  const gathered = texts(rowCount);
  gathered.append(vector, 0, rowCount);
  const { bytes, offsets, validity } = gathered.take();
  const letters = bytes === null ? EMPTY : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return (record) =>
    isValid(validity, record) ? letters.toString("utf8", offsets?.[record], offsets?.[record + 1]) : null;
}

const EMPTY = Buffer.alloc(0);
