import { describe, expect, it, onTestFinished } from "vitest";
import { openEngine, type ScorerStats } from "../../src/index.ts";
import { bootstrap, mean } from "../../src/stats/index.ts";
import { PROJECT, root, trial } from "../support/records.ts";

const TEN = [0.1, 0.4, 0.35, 0.8, 0.9, 0.2, 0.6, 0.75, 0.3, 0.55];

/** `rows[i][t]`: the score of trial t of row i. */
async function ask(rows: readonly (readonly (number | boolean)[])[], others: object = {}) {
  const engine = await openEngine({ keepAnswers: false });
  onTestFinished(() => engine.close());
  await engine.ingestCalls([
    root("run"),
    ...rows.flatMap((own, row) =>
      own.map((x, t) => trial(`${row}-${t}`, { row }, { x, nested: { y: row } }, { parent_id: "run" })),
    ),
  ]);
  const request = {
    evaluation_call_ids: ["run"],
    include_summary: true,
    include_uncertainty: true,
    ...others,
  };
  const text = await engine.queryEvalResultsJson(PROJECT, request);
  expect(text).not.toMatch(/NaN|Infinity/);
  const { summary } = JSON.parse(text) as {
    summary: { evaluations: { scorer_stats: ScorerStats[] }[] };
  };
  const found = summary.evaluations[0]?.scorer_stats.find((one) => one.scorer_key === "x");
  if (found === undefined) throw new Error("no dimension x");
  return found;
}

const singles = (values: readonly (number | boolean)[]) => values.map((value) => [value]);

describe("a mean of fewer than 30 rows", () => {
  it("has a bootstrap interval beside Student's, which the seed in the answer gives again", async () => {
    const found = await ask(singles(TEN));
    expect(found.interval_method).toBe("student-t");
    expect(found.bootstrap).toMatchObject({ method: "bca", unit: "row", resamples: 2000 });
    const { seed, resamples } = found.bootstrap ?? { seed: 0, resamples: 0 };
    const again = bootstrap(
      TEN.toSorted((a, b) => a - b),
      (x) => mean(x) ?? 0,
      { method: "bca", seed, resamples },
    );
    const [low = 0, high = 0] = found.bootstrap_confidence_interval ?? [];
    expect(low).toBeCloseTo(again.confidence_interval?.[0] ?? NaN, 12);
    expect(high).toBeCloseTo(again.confidence_interval?.[1] ?? NaN, 12);
    // scipy 1.17.1: 0.34 to 0.65.
    expect(Math.abs(low - 0.34)).toBeLessThan(0.02);
    expect(Math.abs(high - 0.65)).toBeLessThan(0.02);
  });

  it("has the same interval whatever else is asked", async () => {
    const found = await ask(singles(TEN));
    const again = await ask(singles(TEN), { include_rows: false, pass_k: [1], limit: 3 });
    expect(again.bootstrap_confidence_interval).toEqual(found.bootstrap_confidence_interval);
    expect(again.bootstrap).toEqual(found.bootstrap);
  });

  it("resamples rows, not trials", async () => {
    const rows = TEN.map((x) => [x, x, x]);
    const found = await ask(rows);
    expect(found.bootstrap_confidence_interval).toEqual(
      (await ask(singles(TEN))).bootstrap_confidence_interval,
    );
    const passes = await ask([
      [true, false],
      [true, true],
      [false, false],
      [true, true],
    ]);
    expect(passes.bootstrap_confidence_interval?.[0]).toBeGreaterThanOrEqual(0);
    expect(passes.bootstrap_confidence_interval?.[1]).toBeLessThanOrEqual(1);
  });

  it("keeps to the rows of the filters", async () => {
    const found = await ask(singles([...TEN, ...Array.from({ length: 30 }, () => 7)]), {
      filters: [{ query: { $expr: { $lt: [{ $getField: "scores.x" }, { $literal: 2 }] } } }],
    });
    expect(found.scored_row_count).toBe(10);
    expect(found.bootstrap_confidence_interval).toEqual(
      (await ask(singles(TEN))).bootstrap_confidence_interval,
    );
  });

  it("stays finite with the largest and the smallest doubles", async () => {
    for (const size of [1.7e308, 5e-324]) {
      const found = await ask(singles([size, -size, size, size]));
      const [low, high] = found.bootstrap_confidence_interval ?? [];
      expect(low).toBeGreaterThanOrEqual(-size);
      expect(high).toBeLessThanOrEqual(size);
    }
  });

  it.each([
    ["one row", singles([0.3])],
    ["values without spread", singles([0.3, 0.3, 0.3])],
    ["passes with one trial a row, which have Wilson's interval", singles([true, false, true])],
    ["30 rows", singles(Array.from({ length: 30 }, (_, i) => i / 7))],
  ] as const)("has none for %s", async (_name, rows) => {
    const found = await ask(rows);
    expect(found.bootstrap_confidence_interval).toBeNull();
    expect(found.bootstrap).toBeNull();
  });

  it("has one for 29 and for 2 rows", async () => {
    expect((await ask(singles(Array.from({ length: 29 }, (_, i) => i / 7)))).bootstrap).not.toBeNull();
    expect((await ask(singles([0.25, 0.75]))).bootstrap_confidence_interval).toEqual([0.25, 0.75]);
  });
});
