import type { ColumnValues } from "../../store/columns.ts";
import { dataOf, type Vector } from "../native/read-vector.ts";
import { EXPECTED_ROWS, type Gatherer } from "./gatherer.ts";
import { GrowingBytes } from "../../bytes/growing.ts";
import { isValid, ValidityBits } from "../../arrow/bits.ts";
import { validityOf } from "../native/validity.ts";

/** Gathers booleans: one byte per value becomes one bit per value. */
export function booleans(): Gatherer {
  const validity = new ValidityBits();
  const values = new GrowingBytes(EXPECTED_ROWS / 8);
  return {
    append: (vector: Vector, from: number, count: number) => {
      const bits = validityOf(vector, from + count);
      const data = dataOf(vector, from + count);
      let at = validity.length;
      validity.append(bits, from, count);
      values.extend(((validity.length + 7) >> 3) - values.length);
      const { bytes } = values;
      for (let i = from; i < from + count; i++, at++) {
        const set = data[i] === 1 && (bits === null || isValid(bits, i));
        if ((at & 7) === 0) bytes[at >> 3] = 0;
        if (set) bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (1 << (at & 7));
      }
    },
    take: (): ColumnValues => ({
      ...validity.take(),
      bytes: values.take(),
      offsets: null,
      children: [],
    }),
    get size() {
      return values.length;
    },
  };
}

/** Gathers a column of nulls only. */
export function nulls(): Gatherer {
  let length = 0;
  return {
    append: (_vector, _from, count) => {
      length += count;
    },
    take: () => {
      const taken = { length, nulls: length, validity: null, bytes: null, offsets: null, children: [] };
      length = 0;
      return taken;
    },
    size: 0,
  };
}
