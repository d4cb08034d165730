import { check } from "./arguments.ts";

/** Returns uniform numbers in [0, 1) with 32 bits; the same seed gives the same numbers. */
export type Random = () => number;

/** sfc32 of PractRand (Doty-Humphrey) with its state filled from the whole number `seed`. */
export function seededRandom(seed: number): Random {
  check(Number.isSafeInteger(seed), "seed to be a whole number");
  let a = seed | 0;
  let b = Math.floor(seed / 2 ** 32) | 0;
  let c = 0x9e3779b9 | 0;
  let counter = 1;
  const random = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let i = 0; i < 20; i += 1) random();
  return random;
}
