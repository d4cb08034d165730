import { describe, expect, it } from "vitest";
import { measureKappa } from "../../bench/levels/kappa.ts";
import { kappaInterval } from "../../src/stats/agreement/kappa.ts";

const SEED = Number(process.env["SEED"] ?? 42);

describe(`the interval of kappa (SEED=${SEED})`, () => {
  // Kappa and its standard error of this table with half a label more in each cell: 0.4 and 0.126996.
  it("is that of Fleiss, Cohen and Everitt with half a label more in each cell", () => {
    const [low, high] = kappaInterval([
      [19.5, 4.5],
      [9.5, 14.5],
    ]) ?? [NaN, NaN];
    expect((high + low) / 2).toBeCloseTo(0.4, 10);
    expect((high - low) / 2 / 1.959963984540054).toBeCloseTo(0.126996, 6);
  });

  it("is none where kappa is none, and is not sure of a few labels that all agree", () => {
    expect(
      kappaInterval([
        [9, 0],
        [0, 0],
      ]),
    ).toBeNull();
    const [low = 1] =
      kappaInterval([
        [6, 0],
        [0, 6],
      ]) ?? [];
    expect(low).toBeLessThan(0.65);
  });

  // By bootstrap over labels the lower limit of a few is above the truth far more often.
  it.each([
    { labels: 12, rate: 0.5, kappa: 0.6 },
    { labels: 12, rate: 0.8, kappa: 0.4 },
    { labels: 30, rate: 0.7, kappa: 0.8 },
    { labels: 100, rate: 0.9, kappa: 0.6 },
  ])("has a lower limit that is above the truth in 3.5 %: $labels labels, kappa $kappa", (design) => {
    expect(measureKappa({ ...design, runs: 1000, seed: SEED })).toBeLessThanOrEqual(0.045);
  });
});
