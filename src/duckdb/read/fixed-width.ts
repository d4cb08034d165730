import type { ColumnValues } from "../../store/columns.ts";
import { EXPECTED_ROWS, unrepresentable, type Gatherer } from "./gatherer.ts";
import { dataOf, validityOf, type Vector } from "../native/vectors.ts";
import { GrowingBytes } from "../../bytes/growing.ts";
import { isValid, ValidityBits } from "../../arrow/bits.ts";

/** Turns values of a vector, `source`, into values of `target`. Values that are null are zero in `source`. */
type Rewrite = (source: Uint8Array, target: Uint8Array<ArrayBuffer>, count: number) => void;

/**
 * Gathers values of one width. The bytes of a null are set to zero: they may be anything that DuckDB had in its memory.
 */
export function fixedWidth(width: number, targetWidth = width, rewrite: Rewrite = copy): Gatherer {
  const validity = new ValidityBits();
  const values = new GrowingBytes(EXPECTED_ROWS * targetWidth);
  return {
    append: (vector: Vector, from: number, count: number) => {
      const bits = validityOf(vector, from + count);
      validity.append(bits, from, count);
      const data = dataOf(vector, (from + count) * width).subarray(from * width);
      const at = values.extend(count * targetWidth);
      const source = bits === null ? data : withoutNulls(data, bits, from, count, width);
      rewrite(source, values.bytes.subarray(at, at + count * targetWidth), count);
    },
    take: () => takePlain(validity, values),
    get size() {
      return values.length;
    },
  };
}

/** Takes what was gathered of a column without offsets. */
export function takePlain(validity: ValidityBits, values: GrowingBytes): ColumnValues {
  return { ...validity.take(), bytes: values.take(), offsets: null, children: [] };
}

function copy(source: Uint8Array, target: Uint8Array): void {
  target.set(source);
}

function withoutNulls(data: Uint8Array, bits: Uint8Array, from: number, count: number, width: number) {
  const clean = data.slice();
  for (let i = 0; i < count; i++) {
    if (!isValid(bits, from + i)) clean.fill(0, i * width, (i + 1) * width);
  }
  return clean;
}

/**
 * Copies integers, and throws on the largest one and its negative, which stand for the infinities of DuckDB's dates and
 * times.
 */
export function finite32(what: string): Rewrite {
  return (source, target) => {
    target.set(source);
    const values = new Int32Array(target.slice().buffer);
    if (values.includes(0x7fffffff) || values.includes(-0x7fffffff)) throw infinite(what);
  };
}

export function finite64(what: string): Rewrite {
  return (source, target) => {
    target.set(source);
    const values = new BigInt64Array(target.slice().buffer);
    if (values.includes(MAX_INT64) || values.includes(-MAX_INT64)) throw infinite(what);
  };
}

const MAX_INT64 = 2n ** 63n - 1n;

function infinite(what: string) {
  return unrepresentable(`an infinite ${what}`, "cast it to VARCHAR, or filter with isfinite");
}

/** Widens integers of 2, 4 or 8 bytes to 16 bytes. */
export function widened(bytes: 2 | 4 | 8): Rewrite {
  return (source, target, count) => {
    const from = new DataView(source.buffer, source.byteOffset, source.byteLength);
    const to = new DataView(target.buffer, target.byteOffset, target.byteLength);
    for (let i = 0; i < count; i++) {
      const low = bytes === 2 ? from.getInt16(i * 2, true) : from.getInt32(i * bytes, true);
      const high = bytes === 8 ? from.getInt32(i * 8 + 4, true) : low >> 31;
      to.setInt32(i * 16, low, true);
      to.setInt32(i * 16 + 4, high, true);
      to.setInt32(i * 16 + 8, high >> 31, true);
      to.setInt32(i * 16 + 12, high >> 31, true);
    }
  };
}

/** The uppermost 32 bits of 10^38: a value with less there has at most 38 digits. */
const SAFE_TOP = 0x4b3b4ca8;
const DECIMAL_LIMIT = 10n ** 38n;

/** Copies 128-bit integers, and throws on more than 38 digits. */
export function within38Digits(signed: boolean): Rewrite {
  return (source, target, count) => {
    target.set(source);
    const view = new DataView(target.buffer, target.byteOffset, target.byteLength);
    for (let i = 0; i < count; i++) {
      const top = signed ? view.getInt32(i * 16 + 12, true) : view.getUint32(i * 16 + 12, true);
      if (top < SAFE_TOP && top > -SAFE_TOP) continue;
      const high = signed ? view.getBigInt64(i * 16 + 8, true) : view.getBigUint64(i * 16 + 8, true);
      const value = (high << 64n) | view.getBigUint64(i * 16, true);
      if (value >= DECIMAL_LIMIT || value <= -DECIMAL_LIMIT) {
        throw unrepresentable("an integer of more than 38 digits", "cast it to VARCHAR");
      }
    }
  };
}

/** Keeps months and days, and turns microseconds into nanoseconds; throws where these do not fit 64 bits. */
export function nanosecondIntervals(
  source: Uint8Array,
  target: Uint8Array<ArrayBuffer>,
  count: number,
): void {
  target.set(source);
  const view = new DataView(target.buffer, target.byteOffset, target.byteLength);
  for (let i = 0; i < count; i++) {
    const nanoseconds = view.getBigInt64(i * 16 + 8, true) * 1000n;
    if (nanoseconds !== BigInt.asIntN(64, nanoseconds)) {
      throw unrepresentable("an interval of more than 292 years of microseconds", "cast it to VARCHAR");
    }
    view.setBigInt64(i * 16 + 8, nanoseconds, true);
  }
}
