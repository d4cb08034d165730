import { DataType, type Data } from "apache-arrow";
import { isSet, ValidityBits } from "../../arrow/bits.ts";
import { GrowingBytes } from "../../bytes/growing.ts";
import { StoreError } from "../../errors.ts";
import type { ColumnType, ColumnValues } from "../../store/columns.ts";

/** Gathers the values of one column from several batches. */
export interface Gatherer {
  /** Appends the values from `from` up to but not including `from + count`. */
  append(data: Data, from: number, count: number): void;
  /** Returns the gathered values; later values are gathered anew. */
  take(): ColumnValues;
  /** Approximate number of bytes held. */
  readonly size: number;
}

/** The type of a column, and what gathers it. Throws `TypeError` on a type that no table has. */
export function gathererOf(type: DataType, column: string): { type: ColumnType; gatherer: Gatherer } {
  if (DataType.isBool(type)) return { type: { kind: "boolean" }, gatherer: booleans() };
  if (DataType.isUtf8(type)) return { type: { kind: "text" }, gatherer: texts() };
  if (DataType.isFloat(type)) return { type: { kind: "float", bits: 64 }, gatherer: fixedWidth(8) };
  if (DataType.isInt(type)) {
    const { bitWidth: bits, isSigned: signed } = type;
    return { type: { kind: "integer", bits, signed }, gatherer: fixedWidth(bits / 8) };
  }
  throw new TypeError(`the column ${column} has a type (${type.typeId}) that no table has`);
}

const EXPECTED_ROWS = 2048;

/** The bits of the valid values; null where all are. */
function validityOf({ nullCount, nullBitmap }: Data): Uint8Array | null {
  return nullCount === 0 ? null : nullBitmap;
}

function bytesOf(array: ArrayBufferView): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/** The bytes of a null are set to zero. */
function fixedWidth(width: number): Gatherer {
  const validity = new ValidityBits();
  const values = new GrowingBytes(EXPECTED_ROWS * width);
  return {
    append: (data, from, count) => {
      const bits = validityOf(data);
      validity.append(bits, from, count);
      const at = values.length;
      values.append(bytesOf(data.values as ArrayBufferView).subarray(from * width, (from + count) * width));
      if (bits === null) return;
      for (let i = 0; i < count; i++)
        if (!isSet(bits, from + i)) values.bytes.fill(0, at + i * width, at + (i + 1) * width);
    },
    take: () => ({ ...validity.take(), bytes: values.take(), offsets: null, children: [] }),
    get size() {
      return values.length;
    },
  };
}

function booleans(): Gatherer {
  const validity = new ValidityBits();
  const values = new GrowingBytes(EXPECTED_ROWS / 8);
  return {
    append: (data, from, count) => {
      const bits = validityOf(data);
      const source = data.values as Uint8Array;
      let at = validity.length;
      validity.append(bits, from, count);
      values.extend(((validity.length + 7) >> 3) - values.length);
      const { bytes } = values;
      for (let i = from; i < from + count; i++, at++) {
        const set = isSet(source, i) && (bits === null || isSet(bits, i));
        if ((at & 7) === 0) bytes[at >> 3] = 0;
        if (set) bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (1 << (at & 7));
      }
    },
    take: () => ({ ...validity.take(), bytes: values.take(), offsets: null, children: [] }),
    get size() {
      return values.length;
    },
  };
}

const MAX_BYTES = 0x7fffffff;

function texts(): Gatherer {
  const validity = new ValidityBits();
  const values = new GrowingBytes(EXPECTED_ROWS * 16);
  const offsets = new GrowingBytes((EXPECTED_ROWS + 1) * 4);
  const begin = () => {
    if (offsets.length === 0) offsets.append(new Uint8Array(4));
  };
  return {
    append: (data, from, count) => {
      validity.append(validityOf(data), from, count);
      begin();
      const ends = data.valueOffsets as Int32Array;
      const first = ends[from] ?? 0;
      const shift = values.length - first;
      values.append((data.values as Uint8Array).subarray(first, ends[from + count]));
      if (values.length > MAX_BYTES) {
        throw new StoreError(
          "unrepresentable_value",
          "a batch of more than 2 GiB of text cannot be handed out as Arrow values; select less text, or fewer records",
        );
      }
      const at = offsets.extend(count * 4);
      const target = new Int32Array(offsets.bytes.buffer, at, count);
      for (let i = 0; i < count; i++) target[i] = (ends[from + i + 1] ?? 0) + shift;
    },
    take: () => {
      begin();
      const bytes = offsets.take();
      return {
        ...validity.take(),
        bytes: values.take(),
        offsets: new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2),
        children: [],
      };
    },
    get size() {
      return values.length + offsets.length;
    },
  };
}
