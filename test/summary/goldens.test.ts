import { describe, expect, it } from "vitest";
import { demoCalls } from "../../src/demo/calls.ts";
import { tauBenchAirline } from "../../src/demo/tau-bench-airline.ts";
import { PROJECT } from "../support/records.ts";
import { refusal } from "../support/refusal.ts";
import { booleans, loaded, numbers, run } from "../support/score-runs.ts";

async function statistics(values: readonly unknown[], pass_k: readonly number[] = []) {
  const engine = await loaded(run("a", values));
  const { summary } = await engine.queryEvalResults(PROJECT, {
    evaluation_call_ids: ["a"],
    include_rows: false,
    include_summary: true,
    include_uncertainty: true,
    pass_k,
  });
  return summary?.evaluations[0]?.scorer_stats[0];
}

const close = (value: number) => expect.closeTo(value, 12);

describe("a summary's uncertainty", () => {
  it("has the error and the interval of ten continuous scores", async () => {
    expect(await statistics([0.1, 0.4, 0.35, 0.8, 0.9, 0.2, 0.6, 0.75, 0.3, 0.55])).toMatchObject({
      row_mean: close(0.495),
      standard_error: close(0.08480369488805702),
      confidence_interval: [close(0.30316071417722823), close(0.6868392858227717)],
      interval_method: "student-t",
    });
  });

  it("has the errors that lm-evaluation-harness and Inspect printed for 2 of 5,000 and 2 of 3", async () => {
    const rare = await statistics(Array.from({ length: 5000 }, (_, i) => i < 2));
    expect(rare).toMatchObject({ row_mean: 0.0004, standard_error: close(0.0002828144211304471) });
    expect(await statistics(numbers("110"))).toMatchObject({ standard_error: close(0.33333333333333337) });
  });

  it("has Wilson's interval of 17 passes in 20", async () => {
    expect(await statistics(booleans("11111111111111111000"))).toMatchObject({
      confidence_interval: [close(0.639581135259243), close(0.9476312541037833)],
      interval_method: "wilson",
    });
  });

  it("averages the trials of a row first", async () => {
    const rows = [
      [1, 1, 0, 1],
      [0, 0, 0, 1],
      [1, 1, 1, 1],
      [0, 1, 0, 0],
      [1, 0, 1, 1],
    ].map((row) => row.map((one) => one === 1));
    expect(await statistics(rows, [1, 4])).toMatchObject({
      row_mean: close(0.6),
      scored_row_count: 5,
      standard_error: close(0.15),
      // statsmodels 0.15.0: proportion_confint(0.6 n, n, method="wilson") with n = 0.6 (1 - 0.6) / 0.15².
      confidence_interval: [close(0.3200496533737029), close(0.8269943831003304)],
      interval_method: "wilson",
      pass_at_k: { 1: close(0.6), 4: 1 },
      pass_hat_k: { 1: close(0.6), 4: close(0.2) },
      pass_k_row_count: { 1: 5, 4: 5 },
    });
  });

  it("has linear percentiles", async () => {
    expect(await statistics([1, 2, 3, 4, 10])).toMatchObject({
      min: 1,
      max: 10,
      p50: 3,
      p90: close(7.6),
      p99: close(9.76),
    });
  });

  it("does not claim to know what one row, or equal scores, do not tell", async () => {
    expect(await statistics([0.5])).toMatchObject({
      row_mean: 0.5,
      standard_error: null,
      stddev: null,
      confidence_interval: null,
      interval_method: null,
    });
    expect(await statistics([0.5, 0.5, 0.5])).toMatchObject({ standard_error: 0, confidence_interval: null });
    expect(await statistics(booleans("11111"))).toMatchObject({
      standard_error: 0,
      confidence_interval: [close(0.5655175352168252), 1],
      interval_method: "wilson",
    });
  });

  it("has the pass^k that the authors of tau-bench published, and their pass@k", async () => {
    const engine = await loaded([...demoCalls()]);
    const { summary } = await engine.queryEvalResults(tauBenchAirline.project, {
      evaluation_call_ids: [tauBenchAirline.evaluation],
      include_rows: false,
      include_summary: true,
      pass_k: [1, 2, 3, 4],
    });
    for (const name of ["solved", "reward"]) {
      const stats = summary?.evaluations[0]?.scorer_stats.find((one) => one.scorer_key === name);
      const published = Object.values(stats?.pass_hat_k ?? {}).map((value) => Number(value?.toFixed(3)));
      expect(published).toEqual(tauBenchAirline.publishedPassHat);
      expect(stats?.pass_at_k).toEqual({
        1: close(0.42),
        2: close(0.5666666666666667),
        3: close(0.66),
        4: close(0.72),
      });
      expect(stats).not.toHaveProperty("standard_error");
    }
  });
});

describe("pass_k", () => {
  it.each([[[0]], [[-1]], [[1.5]], [[1001]], [["1"]], [3], [Array.from({ length: 51 }, (_, i) => i + 1)]])(
    "refuses %j",
    async (pass_k) => {
      const engine = await loaded(run("a", [true]));
      const request = { evaluation_call_ids: ["a"], include_summary: true, pass_k } as never;
      const error = await refusal(engine.queryEvalResults(PROJECT, request));
      expect("path" in error ? (error.path as unknown[])[0] : null).toBe("pass_k");
    },
  );
});
