import { packNumbers, unpackNumbers } from "./number-column.ts";

const ABSENT = -1;

/** Texts that stay bytes until they are read. */
export interface TextColumn {
  readonly count: number;
  /** Undefined where there is none. */
  readonly at: (place: number) => string | undefined;
  readonly has: (place: number) => boolean;
}

/** Texts as bytes: the size of the lengths, the lengths in bytes, the texts in UTF-8. */
export function packTexts(texts: readonly (string | undefined)[]): Uint8Array {
  const encoder = new TextEncoder();
  const encoded = texts.map((text) => (text === undefined ? null : encoder.encode(text)));
  const lengths = packNumbers(encoded.map((bytes) => bytes?.length ?? ABSENT));
  const size = encoded.reduce((sum, bytes) => sum + (bytes?.length ?? 0), 0);
  const packed = new Uint8Array(4 + lengths.length + size);
  new DataView(packed.buffer).setUint32(0, lengths.length, true);
  packed.set(lengths, 4);
  let at = 4 + lengths.length;
  for (const bytes of encoded) {
    if (bytes === null) continue;
    packed.set(bytes, at);
    at += bytes.length;
  }
  return packed;
}

/** The texts of {@link packTexts}. */
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
