import { unpackNumbers } from "./number-column.ts";

/** The length of a text that is not there. */
export const ABSENT = -1;

/** Texts that stay bytes until they are read. */
export interface TextColumn {
  readonly count: number;
  /** Undefined where there is none. */
  readonly at: (place: number) => string | undefined;
  readonly has: (place: number) => boolean;
}

/** The texts of {@link TextStore}. */
export function unpackTexts(packed: Uint8Array): TextColumn {
  const size = new DataView(packed.buffer, packed.byteOffset).getUint32(0, true);
  const lengths = unpackNumbers(packed.slice(4, 4 + size));
  const starts = new Float64Array(lengths.length);
  let next = 4 + size;
  lengths.forEach((length, i) => {
    starts[i] = next;
    next += Math.max(0, length);
  });
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const has = (place: number) => (lengths[place] ?? ABSENT) !== ABSENT;
  return {
    count: lengths.length,
    has,
    at: (place) => {
      if (!has(place)) return undefined;
      const start = starts[place] ?? 0;
      return decoder.decode(packed.subarray(start, start + (lengths[place] ?? 0)));
    },
  };
}
