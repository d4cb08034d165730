import { describe, expect, it } from "vitest";
import { lossSpan } from "../../src/stats/tests/loss-span.ts";

/** Runs of twenty rows with a mean each; rows differ, and each run has a pattern of its own about its mean. */
const runsOf = (...means: readonly number[]) =>
  means.map((mean, run) =>
    Float64Array.from({ length: 20 }, (_, row) => mean + row + Math.sin(7 * row + 11 * run)),
  );

describe("the span of a loss", () => {
  it("is the one run since which the mean is lower, where that is clear", () => {
    expect(lossSpan(runsOf(9, 9, 9, 5, 5, 5), 1)).toEqual({ first: 3, last: 3 });
    expect(lossSpan(runsOf(9, 5), 1)).toEqual({ first: 1, last: 1 });
  });

  it("is that of a rise where lower is better", () => {
    expect(lossSpan(runsOf(5, 5, 9, 9), -1)).toEqual({ first: 2, last: 2 });
  });

  it("has several runs where noise may hide which it is", () => {
    const { first, last } = lossSpan(runsOf(9, 9, 8.85, 8.7, 8.7), 1);
    expect(last).toBeGreaterThan(first);
    expect([first <= 3, last >= 2]).toEqual([true, true]);
  });

  it("is the place of the largest fall where rows leave no noise", () => {
    const runs = [9, 9, 7, 7].map((mean) => Float64Array.from({ length: 6 }, (_, row) => mean + row));
    expect(lossSpan(runs, 1)).toEqual({ first: 2, last: 2 });
  });

  it("does not depend on how large the unit is", () => {
    const runs = runsOf(9, 8.8, 8.9, 8.3, 8.4, 8.2);
    const scaled = runs.map((values) => values.map((value) => value * 2 ** 40));
    expect(lossSpan(scaled, 1)).toEqual(lossSpan(runs, 1));
  });
});
