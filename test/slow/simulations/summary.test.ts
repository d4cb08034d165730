import { describe, expect, it, onTestFinished } from "vitest";
import { openEngine, type ScorerStats } from "../../../src/index.ts";
import { PROJECT } from "../../support/records.ts";
import {
  dimensions,
  holds,
  normal,
  SEED,
  share,
  simulatedRun,
  simulationRandom,
} from "../../support/simulation.ts";

const EXPERIMENTS = 1000;
/** The rate of an experiment, 10 to 90 %: Wilson's interval holds 95 % over rates, not at each, as counts are whole. */
const rateOf = (name: string): number => 0.1 + 0.8 * (Number(name.slice(1)) / (EXPERIMENTS - 1));

async function simulate(rows: number): Promise<readonly ScorerStats[]> {
  const random = simulationRandom(`summary ${rows}`);
  const engine = await openEngine();
  onTestFinished(() => engine.close());
  await engine.ingestCalls(
    simulatedRun(
      "run",
      rows,
      () => ({}),
      () => ({
        number: dimensions(EXPERIMENTS, () => normal(random)),
        passes: dimensions(EXPERIMENTS, (k) => random() < rateOf(`k${k}`)),
      }),
    ),
  );
  const { summary } = await engine.queryEvalResults(PROJECT, {
    evaluation_call_ids: ["run"],
    include_rows: false,
    include_summary: true,
    include_uncertainty: true,
  });
  return summary?.evaluations[0]?.scorer_stats ?? [];
}

describe(`95 % intervals of a summary over ${EXPERIMENTS} simulated evaluations (SEED=${SEED})`, () => {
  for (const rows of [20, 60, 200, 500]) {
    it(`hold the truth in 93 to 97 % of them with ${rows} rows`, async () => {
      const stats = await simulate(rows);
      const numbers = stats.filter((one) => one.scorer_key === "number");
      const passes = stats.filter((one) => one.scorer_key === "passes");
      expect([numbers.length, passes.length]).toEqual([EXPERIMENTS, EXPERIMENTS]);
      expect(new Set(numbers.map((one) => one.interval_method))).toEqual(new Set(["student-t"]));
      expect(new Set(passes.map((one) => one.interval_method))).toEqual(new Set(["wilson"]));
      const covered = {
        student: share(numbers.map((one) => holds(one.confidence_interval, 0))),
        wilson: share(passes.map((one) => holds(one.confidence_interval, rateOf(one.path ?? "")))),
      };
      for (const coverage of Object.values(covered)) {
        expect(coverage, JSON.stringify(covered)).toBeGreaterThanOrEqual(0.93);
        expect(coverage, JSON.stringify(covered)).toBeLessThanOrEqual(0.97);
      }
    }, 120_000);
  }
});
