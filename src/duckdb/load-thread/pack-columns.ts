import { bigintOf, type ColumnValues, integerOf } from "../../store/columns.ts";
import type { Column, PackedColumn } from "../../store/session.ts";
import type { SqlType } from "../../store/sql.ts";

type Values = Column["values"];
type Value = NonNullable<Values[number]>;
type Bytes = Uint8Array<ArrayBuffer>;

/** Columns whose buffers can move to another thread. */
export function packColumns(columns: readonly (Column | PackedColumn)[], pool: BufferPool): PackedColumn[] {
  return columns.map(({ name, type, values }) => ({
    name,
    type,
    values: "bytes" in values ? values : packValues(type, values, pool),
  }));
}

/** The buffers of columns, each once. */
export function buffersOf(columns: readonly ColumnValues[]): ArrayBuffer[] {
  const buffers = columns.flatMap(({ bytes, offsets, validity }) =>
    [bytes, offsets, validity].flatMap((part) => part?.buffer ?? []),
  );
  return [...new Set(buffers)];
}

function packValues(type: SqlType, values: Values, pool: BufferPool): ColumnValues {
  const packed =
    type === "VARCHAR" || type === "BLOB"
      ? packTexts(values, pool)
      : { bytes: packNumbers(type, values, pool), offsets: null };
  return { length: values.length, ...packNulls(values, pool), ...packed, children: [] };
}

/** Bits in whole words of 64, which is how they are read. */
function packNulls(values: Values, pool: BufferPool): Pick<ColumnValues, "nulls" | "validity"> {
  let validity: Bytes | null = null;
  let nulls = 0;
  for (let i = 0; i < values.length; i++) {
    if ((values[i] ?? null) !== null) continue;
    validity ??= bytesFrom(pool, Math.ceil(values.length / 64) * 8).fill(255);
    validity[i >> 3] = (validity[i >> 3] ?? 0) & ~(1 << (i & 7));
    nulls++;
  }
  return { nulls, validity };
}

function bytesFrom(pool: BufferPool, length: number): Bytes {
  return new Uint8Array(pool.take(length), 0, length);
}

/** Null is zero. */
function packNumbers(type: Exclude<SqlType, "VARCHAR" | "BLOB">, values: Values, pool: BufferPool): Bytes {
  const { length } = values;
  switch (type) {
    case "INTEGER": {
      const numbers = new Int32Array(pool.take(length * 4), 0, length);
      return filled(numbers, values, 0, (value) => integerOf(value, -(2 ** 31), 2 ** 31 - 1));
    }
    case "UTINYINT":
      return filled(bytesFrom(pool, length), values, 0, (value) => integerOf(value, 0, 255));
    case "DOUBLE":
      return filled(new Float64Array(pool.take(length * 8), 0, length), values, 0, Number);
    case "BIGINT":
      return filled(new BigInt64Array(pool.take(length * 8), 0, length), values, 0n, bigintOf);
    case "UBIGINT":
      return filled(new BigUint64Array(pool.take(length * 8), 0, length), values, 0n, bigintOf);
    case "BOOLEAN":
      return packBits(values, pool);
  }
}

interface Numbers<T> {
  readonly buffer: ArrayBuffer;
  readonly byteLength: number;
  [index: number]: T;
}

function filled<T>(numbers: Numbers<T>, values: Values, zero: T, read: (value: Value) => T): Bytes {
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? null;
    numbers[i] = value === null ? zero : read(value);
  }
  return new Uint8Array(numbers.buffer, 0, numbers.byteLength);
}

function packBits(values: Values, pool: BufferPool): Bytes {
  const bits = bytesFrom(pool, Math.ceil(values.length / 8)).fill(0);
  for (let i = 0; i < values.length; i++)
    if (Number(values[i] ?? 0) === 1) bits[i >> 3] = (bits[i >> 3] ?? 0) | (1 << (i & 7));
  return bits;
}

const BYTES_A_TEXT = 40;

function packTexts(values: Values, pool: BufferPool): Pick<ColumnValues, "bytes" | "offsets"> {
  const offsets = new Int32Array(pool.take((values.length + 1) * 4), 0, values.length + 1);
  offsets[0] = 0;
  let room = Buffer.from(pool.take(values.length * BYTES_A_TEXT));
  let at = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? null;
    if (value !== null) {
      const text = value instanceof Uint8Array ? value : String(value);
      // A code unit of UTF-16 takes three bytes at most.
      const most = typeof text === "string" ? text.length * 3 : text.length;
      if (at + most > room.length) room = grown(room, at, at + most, pool);
      if (typeof text === "string") at += room.write(text, at, "utf8");
      else {
        room.set(text, at);
        at += text.length;
      }
    }
    offsets[i + 1] = at;
  }
  return { bytes: new Uint8Array(room.buffer, 0, at), offsets };
}

function grown(
  used: Buffer<ArrayBuffer>,
  length: number,
  wanted: number,
  pool: BufferPool,
): Buffer<ArrayBuffer> {
  const larger = Buffer.from(pool.take(Math.max(wanted, used.length * 2)));
  larger.set(used.subarray(0, length));
  pool.giveBack([used.buffer]);
  return larger;
}

/** Buffers that were used and may be used again. */
export interface BufferPool {
  /** A buffer of at least so many bytes; it holds anything. */
  readonly take: (bytes: number) => ArrayBuffer;
  readonly giveBack: (buffers: readonly ArrayBuffer[]) => void;
}

const SMALLEST = 1024;
/** About what the batches have that may wait for the database. */
const MOST_BYTES = 48 * 1024 * 1024;

/** Buffers of powers of two. */
export function createBufferPool(): BufferPool {
  const free = new Map<number, ArrayBuffer[]>();
  let kept = 0;
  return {
    take: (bytes) => {
      const size = Math.max(SMALLEST, 2 ** Math.ceil(Math.log2(bytes)));
      const found = free.get(size)?.pop();
      if (found !== undefined) kept -= size;
      return found ?? new ArrayBuffer(size);
    },
    giveBack: (buffers) => {
      for (const buffer of buffers) {
        const { byteLength: size } = buffer;
        const isOurs = (size & (size - 1)) === 0;
        if (!isOurs || kept + size > MOST_BYTES) continue;
        kept += size;
        const same = free.get(size);
        if (same === undefined) free.set(size, [buffer]);
        else same.push(buffer);
      }
    },
  };
}
