import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { departures, expectedStatistics, valuesByRow } from "../oracle/row-statistics.ts";
import { callsOf, PROJECT, scoredRuns, type RunTrial, type ScoredRun } from "../oracle/scored-runs.ts";

const SEED = Number(process.env["SEED"] ?? 611);
const RUNS = Number(process.env["SCENARIOS"] ?? 40);
const PATHS = [["a"], ["a", "deeper"], ["judge"], ["judge", "b"], ["judge", "b", "deeper"], ["late", "ok"]];
const PASS_K = [1, 2, 3];

/** Rows of which some trial of any run has a `judge` that is an object; `filters` of the same meaning. */
const FILTER = {
  query: { $expr: { $eq: [{ $getField: "scores.late.ok" }, { $literal: true }] } },
} as const;

function keptRows(runs: readonly ScoredRun[]): Set<number> {
  const trials = runs.flatMap((run) => run.trials);
  return new Set(trials.filter((one) => one.late?.["ok"] === true).map((one) => one.row));
}

function scaleOf(trials: readonly RunTrial[], path: readonly string[]): number {
  return Math.max(0, ...[...valuesByRow(trials, path).values()].flat().map(Math.abs));
}

describe(`uncertainty over random runs (SEED=${SEED})`, () => {
  it("is what plain loops give, with and without filters and intersection, whatever the threads", async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(
        scoredRuns,
        fc.constantFrom("all", "filtered", "common"),
        fc.constantFrom(1, 4),
        async (runs, which, threads) => {
          const engine = await openEngine({ threads });
          try {
            await engine.ingestCalls(callsOf(runs));
            const request = {
              evaluation_call_ids: runs.map((run) => run.id),
              include_rows: false,
              include_summary: true,
              include_uncertainty: true,
              pass_k: PASS_K,
              summary_require_intersection: which === "common",
              filters: which === "filtered" ? [FILTER] : [],
            };
            const text = await engine.queryEvalResultsJson(PROJECT, request);
            expect(text).not.toMatch(/NaN|Infinity/);
            const { summary } = await engine.queryEvalResults(PROJECT, request);
            const kept = keptRows(runs);
            const counts = (row: number) =>
              which === "all" ||
              (which === "filtered"
                ? kept.has(row)
                : runs.every((run) => run.trials.some((one) => one.row === row)));
            for (const run of runs) {
              const trials = run.trials.filter((one) => counts(one.row));
              const found = summary?.evaluations.find((one) => one.evaluation_call_id === run.id);
              for (const path of PATHS) {
                const expected = expectedStatistics(trials, path, PASS_K);
                const inner = path.slice(1).join(".");
                const actual = found?.scorer_stats.find(
                  (one) => one.scorer_key === path[0] && (one.path ?? "") === inner,
                );
                const wrong =
                  expected === null
                    ? departures(actual, undefined, 0)
                    : departures(actual ?? null, expected, scaleOf(trials, path));
                expect(wrong, `${run.id} ${path.join(".")}`).toEqual([]);
                compared += expected === null ? 0 : 1;
              }
            }
          } finally {
            await engine.close();
          }
        },
      ),
      { seed: SEED, numRuns: RUNS, endOnFailure: process.env["SHRINK"] === undefined },
    );
    expect(compared).toBeGreaterThan(RUNS * 3);
  }, 120_000);
});
