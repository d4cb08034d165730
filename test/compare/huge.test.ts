import { describe, expect, it, onTestFinished } from "vitest";
import { openEngine } from "../../src/index.ts";
import { PROJECT, root, trial } from "../support/records.ts";

const HUGE = 1.7e308;

/** Every number in a value. */
function numbersIn(value: unknown): number[] {
  if (typeof value === "number") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

const run = (id: string, values: readonly number[]) => [
  root(id),
  ...values.map((x, row) => trial(`${id}-${row}`, { row, group: row }, { x }, { parent_id: id })),
];

describe("scores near the largest double", () => {
  it.each([
    ["squares are no doubles", [1e200, -1e200, 3e200], [1, 2, 3]],
    ["intervals are no doubles", [1e308, -1e308], [0, 0]],
    ["differences are no doubles", [HUGE, -HUGE, HUGE], [-HUGE, HUGE, -HUGE]],
    ["equal differences are no doubles", [HUGE, HUGE, HUGE], [-HUGE, -HUGE, -HUGE]],
  ] as const)(
    "are compared and summarized with finite numbers where %s",
    async (_name, candidate, baseline) => {
      const engine = await openEngine();
      onTestFinished(() => engine.close());
      await engine.ingestCalls([...run("base", baseline), ...run("new", candidate)]);
      for (const cluster_by of [undefined, "inputs.group"] as const) {
        const answer = await engine.compareEvaluations(PROJECT, {
          baseline: "base",
          candidates: ["new"],
          margin: 1,
          cluster_by,
        });
        expect(numbersIn(answer).filter((one) => !Number.isFinite(one))).toEqual([]);
        expect(answer.comparisons[0]).toMatchObject({ n_common: candidate.length });
      }
      const { summary } = await engine.queryEvalResults(PROJECT, {
        evaluation_call_ids: ["base", "new"],
        include_summary: true,
        include_uncertainty: true,
      });
      for (const { scorer_stats } of summary?.evaluations ?? [])
        for (const one of scorer_stats) expect(one.confidence_interval ?? []).not.toContain(null);
    },
  );
});
