import type { ChunkDoubles, ColumnValues } from "../../store/columns.ts";
import { isSet, setBit, validityOfPresent } from "../bits.ts";

/** A column of numbers or booleans that come in any order. What does not come is null. */
export interface PlacedValues {
  /** Values `from` to `to` of a chunk at their places; -1 is no place. */
  readonly place: (places: Int32Array, values: ChunkDoubles, from: number, to: number) => void;
  readonly take: () => ColumnValues;
}

export function placedDoubles(length: number): PlacedValues {
  const target = new Float64Array(length);
  const present = new Uint8Array((length + 7) >> 3);
  return {
    place: (places, { values, validity }, from, to) => {
      for (let i = from; i < to; i++) {
        const place = places[i] ?? -1;
        if (place < 0 || (validity !== null && !isSet(validity, i))) continue;
        target[place] = values[i] ?? 0;
        setBit(present, place);
      }
    },
    take: () => fixedWidth(length, present, new Uint8Array(target.buffer)),
  };
}

/** A number that is 1 is true. */
export function placedBooleans(length: number): PlacedValues {
  const target = new Uint8Array((length + 7) >> 3);
  const present = new Uint8Array((length + 7) >> 3);
  return {
    place: (places, { values, validity }, from, to) => {
      for (let i = from; i < to; i++) {
        const place = places[i] ?? -1;
        if (place < 0 || (validity !== null && !isSet(validity, i))) continue;
        if (values[i] === 1) setBit(target, place);
        setBit(present, place);
      }
    },
    take: () => fixedWidth(length, present, target),
  };
}

/** Integers of 32 bits, one a record. */
export function integerValues(values: Int32Array<ArrayBuffer>): ColumnValues {
  const { length } = values;
  return fixedWidth(length, null, new Uint8Array(values.buffer, values.byteOffset, length * 4));
}

function fixedWidth(
  length: number,
  present: Uint8Array<ArrayBuffer> | null,
  bytes: Uint8Array<ArrayBuffer>,
): ColumnValues {
  const validity = present === null ? { nulls: 0, validity: null } : validityOfPresent(present, length);
  return { length, ...validity, bytes, offsets: null, children: [] };
}
