import type { ColumnValues } from "../../store/columns.ts";
import { dataOf, listItems, validityOf, type Vector } from "../native/vectors.ts";
import { EXPECTED_ROWS, words, ZERO, type Gatherer } from "./gatherer.ts";
import { GrowingBytes } from "../../bytes/growing.ts";
import { isValid, ValidityBits } from "../../arrow/bits.ts";

/** Gathers lists and maps: an entry holds the index of its first item in the child vector, and the number of items. */
export function lists(child: Gatherer): Gatherer {
  const validity = new ValidityBits();
  const offsets = new GrowingBytes((EXPECTED_ROWS + 1) * 4);
  let items = 0;
  return {
    append: (vector: Vector, from: number, count: number) => {
      const bits = validityOf(vector, from + count);
      validity.append(bits, from, count);
      const entries = words(dataOf(vector, (from + count) * 16));
      if (offsets.length === 0) offsets.append(ZERO);
      const at = offsets.extend(count * 4);
      const ends = new Int32Array(offsets.bytes.buffer, at, count);
      const run = childRuns(child, listItems(vector));
      for (let i = 0; i < count; i++) {
        const length = isValid(bits, from + i) ? (entries[(from + i) * 4 + 2] ?? 0) : 0;
        if (length > 0) run.add(entries[(from + i) * 4] ?? 0, length);
        items += length;
        ends[i] = items;
      }
      run.finish();
    },
    take: (): ColumnValues => {
      if (offsets.length === 0) offsets.append(ZERO);
      const bytes = offsets.take();
      items = 0;
      return {
        ...validity.take(),
        bytes: null,
        offsets: new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2),
        children: [child.take()],
      };
    },
    get size() {
      return offsets.length + child.size;
    },
  };
}

/** Appends parts of a child vector; neighbouring parts are appended together. */
function childRuns(child: Gatherer, vector: Vector) {
  let start = 0;
  let end = 0;
  const finish = () => {
    if (end > start) child.append(vector, start, end - start);
  };
  const add = (first: number, length: number) => {
    if (first !== end) {
      finish();
      start = first;
    }
    end = first + length;
  };
  return { add, finish };
}

/** Gathers structs, with `factor` 1, and arrays of `factor` items each: the children lie side by side, item by item. */
export function sideBySide(
  children: readonly Gatherer[],
  factor: number,
  childOf: (vector: Vector, index: number) => Vector,
): Gatherer {
  const validity = new ValidityBits();
  return {
    append: (vector: Vector, from: number, count: number) => {
      validity.append(validityOf(vector, from + count), from, count);
      for (const [index, child] of children.entries()) {
        child.append(childOf(vector, index), from * factor, count * factor);
      }
    },
    take: (): ColumnValues => ({
      ...validity.take(),
      bytes: null,
      offsets: null,
      children: children.map((child) => child.take()),
    }),
    get size() {
      return children.reduce((sum, child) => sum + child.size, 0);
    },
  };
}
