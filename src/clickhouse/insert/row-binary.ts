/** A value of a column; null where the type is nullable. A text may be given as its UTF-8 bytes. */
export type BinaryValue = string | number | bigint | boolean | null | Uint8Array;

interface BinaryColumn {
  /** As ClickHouse spells it. */
  readonly type: string;
  readonly values: ArrayLike<BinaryValue>;
}

const SMALLEST = 1 << 16;

/** Bytes that grow, and are used again. */
class Bytes {
  #buffer = Buffer.allocUnsafeSlow(SMALLEST);
  /** Of the same bytes: it writes integers of 64 bits without making others. */
  #view = viewOf(this.#buffer);
  #used = 0;

  clear(): void {
    this.#used = 0;
  }

  copy(): Uint8Array {
    return new Uint8Array(this.#buffer.subarray(0, this.#used));
  }

  byte(value: number): void {
    const at = this.#reserve(1);
    this.#buffer[at] = value;
  }

  unsigned32(value: number): void {
    const at = this.#reserve(4);
    this.#view.setUint32(at, value, true);
  }

  signed32(value: number): void {
    const at = this.#reserve(4);
    this.#view.setInt32(at, value, true);
  }

  unsigned64(value: bigint): void {
    const at = this.#reserve(8);
    this.#view.setBigUint64(at, value, true);
  }

  signed64(value: bigint): void {
    const at = this.#reserve(8);
    this.#view.setBigInt64(at, value, true);
  }

  double(value: number): void {
    const at = this.#reserve(8);
    this.#view.setFloat64(at, value, true);
  }

  text(value: string | Uint8Array): void {
    const length = typeof value === "string" ? Buffer.byteLength(value) : value.byteLength;
    for (let rest = length; ; rest = Math.floor(rest / 128)) {
      this.byte(rest < 128 ? rest : (rest % 128) + 128);
      if (rest < 128) break;
    }
    const at = this.#reserve(length);
    if (typeof value === "string") this.#buffer.write(value, at);
    else this.#buffer.set(value, at);
  }

  /** Call it before the buffer is named: it may be another one afterwards. */
  #reserve(bytes: number): number {
    const at = this.#used;
    this.#used += bytes;
    if (this.#used > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(this.#used, this.#buffer.length * 2));
      larger.set(this.#buffer.subarray(0, at));
      this.#buffer = larger;
      this.#view = viewOf(larger);
    }
    return at;
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

type WriteValue = (bytes: Bytes, value: BinaryValue) => void;

const WRITE: Readonly<Record<string, WriteValue>> = {
  UInt64: (bytes, value) => bytes.unsigned64(integer(value)),
  UInt32: (bytes, value) => bytes.unsigned32(Number(number(value))),
  UInt8: (bytes, value) => bytes.byte(Number(number(value))),
  Bool: (bytes, value) => bytes.byte(value === true ? 1 : 0),
  Int64: (bytes, value) => bytes.signed64(integer(value)),
  Int32: (bytes, value) => bytes.signed32(Number(number(value))),
  Float64: (bytes, value) => bytes.double(Number(number(value))),
  String: (bytes, value) => bytes.text(value instanceof Uint8Array ? value : String(value ?? "")),
};

function number(value: BinaryValue): number | bigint {
  return typeof value === "bigint" || typeof value === "number" ? value : 0;
}

function integer(value: BinaryValue): bigint {
  return typeof value === "bigint" ? value : BigInt(number(value));
}

/**
 * Encodes records in ClickHouse's format RowBinary: value after value, without names and types. It keeps up to twice
 * the memory of the largest result.
 */
export function createRowEncoder(): (columns: readonly BinaryColumn[], length: number) => Uint8Array {
  const bytes = new Bytes();
  return (columns, length) => {
    bytes.clear();
    writeRows(bytes, columns, length);
    return bytes.copy();
  };
}

function writeRows(bytes: Bytes, columns: readonly BinaryColumn[], length: number): void {
  const writers = columns.map(({ type, values }) => {
    const inner = /^Nullable\((.*)\)$/.exec(type)?.[1];
    const write = WRITE[inner ?? type];
    if (write === undefined) throw new TypeError(`no column is of type ${type}`);
    return { values, write, isNullable: inner !== undefined };
  });
  for (let i = 0; i < length; i++) {
    for (const { values, write, isNullable } of writers) {
      const value = values[i] ?? null;
      if (isNullable) bytes.byte(value === null ? 1 : 0);
      if (!isNullable || value !== null) write(bytes, value);
    }
  }
}
