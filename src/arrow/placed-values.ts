import type { ColumnValues } from "../model/columns.ts";
import { batchRanges, type BatchCut } from "./batch-cut.ts";

/** A column of numbers or booleans that come in any order. What does not come is null. */
export interface PlacedValues {
  /** Values `from` to `to` of a chunk at their places; -1 is no place. */
  readonly place: (
    places: Int32Array,
    values: Float64Array,
    validity: Uint8Array | null,
    from: number,
    to: number,
  ) => void;
  /** A column for each batch. */
  readonly take: (cut: BatchCut) => ColumnValues[];
}

export function placedDoubles(length: number): PlacedValues {
  const target = new Float64Array(length);
  const present = new Uint8Array((length + 7) >> 3);
  return {
    place: (places, values, validity, from, to) => {
      for (let i = from; i < to; i++) {
        const place = places[i] ?? -1;
        if (place < 0 || (validity !== null && !isSet(validity, i))) continue;
        target[place] = values[i] ?? 0;
        setBit(present, place);
      }
    },
    take: (cut) =>
      cutUp(cut, present, (from, to) => new Uint8Array(target.buffer, from * 8, (to - from) * 8)),
  };
}

/** A number that is 1 is true. */
export function placedBooleans(length: number): PlacedValues {
  const target = new Uint8Array((length + 7) >> 3);
  const present = new Uint8Array((length + 7) >> 3);
  return {
    place: (places, values, validity, from, to) => {
      for (let i = from; i < to; i++) {
        const place = places[i] ?? -1;
        if (place < 0 || (validity !== null && !isSet(validity, i))) continue;
        if (values[i] === 1) setBit(target, place);
        setBit(present, place);
      }
    },
    take: (cut) => cutUp(cut, present, (from, to) => target.subarray(from >> 3, (to + 7) >> 3)),
  };
}

/** Integers of 32 bits, one a record. */
export function integerValues(cut: BatchCut, values: Int32Array<ArrayBuffer>): ColumnValues[] {
  return batchRanges(cut).map(([from, to]) => ({
    length: to - from,
    nulls: 0,
    validity: null,
    bytes: new Uint8Array(values.buffer, values.byteOffset + from * 4, (to - from) * 4),
    offsets: null,
    children: [],
  }));
}

function setBit(bits: Uint8Array, i: number): void {
  bits[i >> 3] = (bits[i >> 3] ?? 0) | (1 << (i & 7));
}

function isSet(bits: Uint8Array, i: number): boolean {
  return (((bits[i >> 3] ?? 0) >> (i & 7)) & 1) === 1;
}

function cutUp(
  cut: BatchCut,
  present: Uint8Array<ArrayBuffer>,
  bytesOf: (from: number, to: number) => Uint8Array<ArrayBuffer>,
): ColumnValues[] {
  return batchRanges(cut).map(([from, to]) => {
    const validity = present.subarray(from >> 3, (to + 7) >> 3);
    const nulls = to - from - countOnes(validity);
    return {
      length: to - from,
      nulls,
      validity: nulls === 0 ? null : validity,
      bytes: bytesOf(from, to),
      offsets: null,
      children: [],
    };
  });
}

function countOnes(bits: Uint8Array): number {
  let count = 0;
  for (const byte of bits) for (let rest = byte; rest !== 0; rest &= rest - 1) count++;
  return count;
}
