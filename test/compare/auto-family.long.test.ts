import { describe, expect, it } from "vitest";
import { measureAuto } from "../../bench/levels/auto-slices.ts";
import type { CompareRequest } from "../../src/index.ts";
import { holm } from "../../src/stats/index.ts";
import { seededRandom } from "../../src/stats/numeric/random.ts";
import { PROJECT } from "../support/records.ts";
import { loaded, run } from "../support/score-runs.ts";

const SEED = Number(process.env["SEED"] ?? 42);

describe(`slices of a field that was chosen (SEED=${SEED})`, () => {
  it("are adjusted for those of all fields that were tried, and of all comparisons", async () => {
    const random = seededRandom(SEED);
    const rows = Array.from({ length: 90 }, (_, i) => ({
      i,
      a: i % 3,
      b: i % 2 === 0 ? "x" : "y",
      c: i % 4,
    }));
    const rowOf = (i: number) => rows[i];
    const values = (rate: number) => rows.map(({ a }) => random() < (a === 1 ? rate : 0.8));
    const engine = await loaded([
      ...run("base", values(0.9), rowOf),
      ...run("one", values(0.3), rowOf),
      ...run("two", values(0.8), rowOf),
    ]);
    const request: CompareRequest = { baseline: "base", candidates: ["one", "two"] };
    const asked = async (by: NonNullable<CompareRequest["by"]>) =>
      engine.compareEvaluations(PROJECT, { ...request, by });
    const auto = await asked("auto");
    const tried = auto.slicing?.fields_tried ?? [];
    expect(tried).toEqual(["inputs.a", "inputs.b", "inputs.c"]);
    const answers = await Promise.all(
      ["inputs.a", "inputs.b", "inputs.c"].map((by) => asked(by as "inputs.a")),
    );
    const all = answers.flatMap(({ comparisons }) => comparisons.flatMap(({ slices = [] }) => slices));
    const adjusted = holm(all.flatMap(({ p_value: p }) => p ?? []));
    expect(auto.slicing?.family_size).toBe(all.length);
    expect(answers.map(({ slicing }) => slicing?.family_size)).toEqual([6, 4, 8]);
    const shown = auto.comparisons.flatMap(({ slices = [] }) => slices);
    for (const { p_value: p, p_value_adjusted: own } of shown)
      expect(own).toBe(adjusted[all.findIndex((one) => one.p_value === p)]);
    expect(shown.map(({ verdict }) => verdict)).toContain("regressed");
  });

  // Of the field that is shown alone 10 to 32 % would be false.
  it.each([
    { fields: 3, kind: "numbers" },
    { fields: 10, kind: "numbers" },
    { fields: 10, kind: "true/false" },
  ] as const)(
    "are called better or worse in 5 % where nothing differs: $fields fields, $kind",
    async (design) => {
      expect(await measureAuto({ ...design, projects: 200, seed: SEED })).toBeLessThanOrEqual(0.08);
    },
  );
});
