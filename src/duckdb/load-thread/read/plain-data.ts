import { GrowingBytes, lengthened } from "../../../bytes/growing.ts";

/**
 * Values of records, end to end, that can move to another thread. They are read in the order in which they were added.
 */
export interface PlainData {
  readonly integers: Int32Array<ArrayBuffer>;
  readonly longs: BigInt64Array<ArrayBuffer>;
  readonly doubles: Float64Array<ArrayBuffer>;
  /** Strings that few records have. */
  readonly texts: readonly string[];
  /** Strings that many records have, each once; `integers` has their numbers. */
  readonly words: readonly string[];
  /** Byte strings; `integers` has their lengths. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** What is none of these. */
  readonly others: readonly unknown[];
}

export interface PlainWriter {
  readonly integer: (value: number) => void;
  readonly long: (value: bigint) => void;
  readonly double: (value: number) => void;
  readonly text: (value: string) => void;
  readonly word: (value: string | null) => void;
  readonly bytes: (value: Uint8Array) => void;
  readonly other: (value: unknown) => void;
  /** What was written since it was last taken. */
  readonly take: () => PlainData;
}

export interface PlainReader {
  readonly integer: () => number;
  readonly long: () => bigint;
  readonly double: () => number;
  readonly text: () => string;
  readonly word: () => string | null;
  /** A part of the memory that all byte strings share: who keeps it keeps all of them. */
  readonly bytes: () => Uint8Array<ArrayBuffer>;
  readonly other: () => unknown;
}

const NO_WORD = -1;

/** Writes one batch after another. */
export function createPlainWriter(): PlainWriter {
  const integers = growing(new Int32Array(FIRST_LENGTH));
  const longs = growing(new BigInt64Array(FIRST_LENGTH));
  const doubles = growing(new Float64Array(FIRST_LENGTH));
  const bytes = new GrowingBytes(FIRST_LENGTH);
  let texts: string[] = [];
  let words = new Map<string, number>();
  let others: unknown[] = [];
  return {
    integer: integers.add,
    long: longs.add,
    double: doubles.add,
    text: (value) => void texts.push(value),
    word: (value) => {
      const known = value === null ? NO_WORD : words.get(value);
      integers.add(known ?? words.size);
      if (known === undefined && value !== null) words.set(value, words.size);
    },
    bytes: (value) => {
      integers.add(value.length);
      bytes.append(value);
    },
    other: (value) => void others.push(value),
    take: () => {
      const taken = {
        integers: integers.take(),
        longs: longs.take(),
        doubles: doubles.take(),
        texts,
        words: [...words.keys()],
        bytes: bytes.take(),
        others,
      };
      texts = [];
      words = new Map();
      others = [];
      return taken;
    },
  };
}

const FIRST_LENGTH = 4096;

/** Numbers one after another, and copies of them. */
function growing<A extends Int32Array<ArrayBuffer> | Float64Array<ArrayBuffer> | BigInt64Array<ArrayBuffer>>(
  first: A,
) {
  let room = first;
  let length = 0;
  return {
    add: (value: A[number]) => {
      if (length === room.length) room = lengthened(room);
      room[length++] = value;
    },
    take: (): A => {
      const taken = room.slice(0, length) as A;
      length = 0;
      return taken;
    },
  };
}

export function createPlainReader(data: PlainData): PlainReader {
  const next = { integer: 0, long: 0, double: 0, text: 0, byte: 0, other: 0 };
  const integer = () => present(data.integers[next.integer++]);
  return {
    integer,
    long: () => present(data.longs[next.long++]),
    double: () => present(data.doubles[next.double++]),
    text: () => present(data.texts[next.text++]),
    word: () => {
      const number = integer();
      return number === NO_WORD ? null : present(data.words[number]);
    },
    bytes: () => {
      const length = integer();
      const value = new Uint8Array(data.bytes.buffer, next.byte, length);
      next.byte += length;
      return value;
    },
    other: () => data.others[next.other++],
  };
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("more is read than was written");
  return value;
}

/** The buffers that move with the data. */
export function buffersOfData({ integers, longs, doubles, bytes }: PlainData): ArrayBuffer[] {
  return [integers.buffer, longs.buffer, doubles.buffer, bytes.buffer];
}
