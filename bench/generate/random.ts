export type Random = () => number;

/**
 * Uniform numbers in [0, 1) from a position instead of from a running state, so that any part of the data can be
 * made alone. sfc32 (PractRand, public domain) seeded with the coordinates.
 */
export function randomAt(seed: number, kind: number, first: number, second = 0): Random {
  let a = seed | 0;
  let b = Math.imul(kind + 1, 0x9e3779b1) ^ first;
  let c = Math.imul(second + 1, 0x85ebca6b);
  let counter = 1;
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 0x1_0000_0000;
  };
  for (let round = 0; round < 12; round += 1) next();
  return next;
}

/** In [0, 1] with a step of 1/1024: sums of such numbers are exact, so every subject must agree to the bit. */
export function exactFraction(value: number): number {
  return Math.round(Math.min(1, Math.max(0, value)) * 1024) / 1024;
}

/** A version 7 identifier: sorts by `milliseconds`. */
export function timeOrderedId(milliseconds: number, random: Random): string {
  const time = milliseconds.toString(16).padStart(12, "0");
  const high = hex(random, 12);
  const low = hex(random, 32) + hex(random, 16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${high}-8${low.slice(0, 3)}-${low.slice(0, 12)}`;
}

function hex(random: Random, bits: number): string {
  return Math.floor(random() * 2 ** bits)
    .toString(16)
    .padStart(bits / 4, "0");
}
