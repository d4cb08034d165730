import { nice as niceOf, ticks as ticksOf, tickStep as tickStepOf } from "d3-array";
import fc from "fast-check";
import { expect, it } from "vitest";
import { nice, tickStep, ticks } from "../../src/view/plots/ticks.ts";

/** Numbers as axes have them, of any size, often near each other. */
const ends = fc
  .tuple(
    fc.oneof(fc.integer({ min: -1000, max: 1000 }), fc.double({ min: -1e9, max: 1e9, noNaN: true })),
    fc.oneof(fc.integer({ min: 1, max: 1000 }), fc.double({ min: 1e-9, max: 1e9, noNaN: true })),
  )
  .filter(([low, width]) => low + width > low);
const counts = fc.integer({ min: 1, max: 12 });

it("puts ticks where d3 puts them", () => {
  fc.assert(
    fc.property(ends, counts, ([low, width], count) => {
      const high = low + width;
      expect(ticks(low, high, count)).toEqual(ticksOf(low, high, count));
      expect(tickStep(low, high, count)).toBe(tickStepOf(low, high, count));
      expect(nice(low, high, count)).toEqual(niceOf(low, high, count));
    }),
    { numRuns: 5000 },
  );
});

it("has one tick where both ends are the same", () => {
  expect(ticks(3, 3, 5)).toEqual([3]);
  expect(nice(3, 3, 5)).toEqual([3, 3]);
});
