import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  adjustPairs,
  normalRangeSurvival,
  pairLevel,
  type PairP,
  rangeAdjusted,
} from "../../src/stats/tests/ranges.ts";

const SEED = Number(process.env["SEED"] ?? 1953);

/** scipy 1.17.1: `scipy.stats.studentized_range.sf(q, k, inf)`. */
const SCIPY = [
  [3.31449, 3, 0.0500002823236112],
  [3.85766, 5, 0.04999956406043371],
  [4.79592, 15, 0.05000043166077395],
  [5, 2, 0.00040695201744500586],
  [1, 3, 0.7592873587706612],
  [5, 100, 0.478547706446987],
] as const;

describe("the range of normal values", () => {
  it.each(SCIPY)("exceeds %d for %i values as scipy says", (q, k, p) => {
    expect(normalRangeSurvival(q, k)).toBeCloseTo(p, 12);
  });

  it("keeps its digits where it is rare, and is sure where it is 0", () => {
    // Two values differ by a normal value of variance 2.
    expect(normalRangeSurvival(20, 2) / 2.08848758376254e-45).toBeCloseTo(1, 9);
    expect([normalRangeSurvival(0, 7), normalRangeSurvival(Infinity, 7)]).toEqual([1, 0]);
  });
});

/** p values of pairs whose places differ by so much. */
const byDistance =
  (...p: readonly number[]): PairP =>
  (i, j) =>
    p[j - i - 1] ?? 0;

describe("pairs of an order", () => {
  it("are told apart step by step, by the ends of each stretch that holds them", () => {
    const adjusted = adjustPairs(4, byDistance(0.5, 0.01, 0.001));
    expect(adjusted(0, 3)).toBe(rangeAdjusted(0.001, 4));
    // Of three of four means: the level is that of all.
    expect(adjusted(0, 2)).toBe(rangeAdjusted(0.01, 3));
    // Of two of four: 1 − (1 − p)^(4/2).
    expect(adjusted(1, 2)).toBeCloseTo(1 - (1 - 0.5) ** 2, 12);
  });

  it("are not told apart inside of a stretch whose ends are not", () => {
    const adjusted = adjustPairs(3, byDistance(1e-9, 0.2));
    expect(adjusted(0, 1)).toBe(rangeAdjusted(0.2, 3));
  });

  it("are each adjusted for all where one cannot be compared", () => {
    const adjusted = adjustPairs(3, (i, j) => (i === 0 && j === 2 ? null : 0.01), false);
    expect([adjusted(0, 2), adjusted(0, 1)]).toEqual([null, rangeAdjusted(0.01, 3)]);
  });

  it(`never have an adjusted p value below their own, nor below that of a stretch that holds them (SEED=${SEED})`, () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 7 }),
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
        (k, draw) => {
          const p = Array.from({ length: k * k }, () => draw.next().value as number);
          const own: PairP = (i, j) => p[i * k + j] ?? 1;
          const adjusted = adjustPairs(k, own);
          for (let i = 0; i < k; i++)
            for (let j = i + 1; j < k; j++) {
              expect(adjusted(i, j)).toBeGreaterThanOrEqual(own(i, j) ?? 1);
              const outer = [i > 0 ? adjusted(i - 1, j) : 0, j + 1 < k ? adjusted(i, j + 1) : 0];
              expect(adjusted(i, j)).toBeGreaterThanOrEqual(Math.max(...outer.map((one) => one ?? 0)));
            }
        },
      ),
      { seed: SEED },
    );
  });

  it("reach a level at the p value that it is the level of", () => {
    for (const k of [2, 5, 15, 100]) expect(rangeAdjusted(pairLevel(0.05, k), k)).toBeCloseTo(0.05, 9);
    expect(pairLevel(0.05, 2)).toBeCloseTo(0.05, 9);
  });
});
