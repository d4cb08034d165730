import { describe, expect, it } from "vitest";
import { measureCosts, measureThirds, measureTools } from "../../bench/levels/steps.ts";

const SEED = Number(process.env["SEED"] ?? 42);

describe(`what is said of steps, by simulation (SEED=${SEED})`, () => {
  it.each([
    { rows: 20, trials: 1, tools: 8 },
    { rows: 50, trials: 4, tools: 1 },
    { rows: 200, trials: 1, tools: 14 },
  ])(
    "names a tool in 5 % of answers without any association: $rows rows, $trials trials, $tools tools",
    async (design) => {
      expect(await measureTools({ ...design, projects: 300, seed: SEED })).toBeLessThanOrEqual(0.08);
    },
  );

  it.each([
    { rate: 0.2, trials: 1 },
    { rate: 0.2, trials: 4 },
    { rate: 0.5, trials: 1 },
    { rate: 0.8, trials: 1 },
  ])("holds the cost of a success in 95 % of intervals: passed $rate, trials $trials", (design) => {
    expect(measureCosts({ ...design, rows: 50, projects: 1000, seed: SEED })).toBeGreaterThanOrEqual(0.92);
  });

  it.each([
    { rows: 60, trials: 1 },
    { rows: 150, trials: 4 },
  ])(
    "calls equal agents different in 5 %, by thirds of an earlier run: $rows rows, $trials trials",
    async (design) => {
      const sample = { ...design, projects: 300, seed: SEED };
      expect(await measureThirds({ ...sample, by: "earlier" })).toBeLessThanOrEqual(0.08);
      expect(await measureThirds({ ...sample, projects: 60, by: "baseline" })).toBeGreaterThan(0.3);
    },
  );
});
