import { describe, expect, it, onTestFinished } from "vitest";
import { openEngine } from "../../src/index.ts";
import { wilson } from "../../src/stats/index.ts";
import { PROJECT, root, trial } from "../support/records.ts";

type Score = number | boolean | string;

/** The statistics of `x` in each run; `runs[name][row]` are the scores of a row's trials. */
async function ask(runs: Readonly<Record<string, readonly (readonly Score[])[]>>, asked: object = {}) {
  const engine = await openEngine();
  onTestFinished(() => engine.close());
  await engine.ingestCalls(
    Object.entries(runs).flatMap(([run, rows]) => [
      root(run),
      ...rows.flatMap((own, row) =>
        own.map((x, t) => trial(`${run}-${row}-${t}`, { row }, { x }, { parent_id: run })),
      ),
    ]),
  );
  const { summary, warnings } = await engine.queryEvalResults(PROJECT, {
    evaluation_call_ids: Object.keys(runs),
    include_rows: false,
    include_summary: true,
    include_uncertainty: true,
    pass_k: [1],
    ...asked,
  });
  return { stats: (summary?.evaluations ?? []).map((one) => one.scorer_stats[0]), warnings };
}

const singles = (values: readonly Score[]) => values.map((value) => [value]);

describe("an evaluation whose numbers are all 0 or 1", () => {
  // The smallest double is lost in the words that numbers of such a dimension are summed in.
  const others: Readonly<Record<string, readonly number[]>> = {
    hundredths: [0.25, 0.5, 0.99],
    "larger numbers": [1, 5, 1e300],
    "0, 1 and the smallest double": [0, 1, 5e-324],
    "negative ones": [-1, 0, 1],
  };

  it.each(Object.entries(others))("has Wilson's interval beside another with %s", async (_, numbers) => {
    const { stats } = await ask({ own: singles([1, 0, 1, 1, 0]), other: singles(numbers) });
    expect(stats[0]).toMatchObject({ interval_method: "wilson", confidence_interval: wilson(3, 5) });
    expect(stats[0]?.pass_at_k).toEqual({ 1: 0.6 });
    expect(stats[0]).toMatchObject({ row_mean: 0.6, min: 0, max: 1, p50: 1 });
    expect(stats[1]?.interval_method).not.toBe("wilson");
    expect(stats[1]?.pass_at_k).toBeUndefined();
  });

  it("has it with several trials a row, but not where fractions have such means", async () => {
    const { stats } = await ask({
      own: [[1, 0], [1, 1], [0, 0], [1]],
      other: [
        [0.5, 0.5],
        [0.25, 0.75],
        [0, 1],
      ],
    });
    expect(stats[0]).toMatchObject({ interval_method: "wilson", row_mean: 0.625 });
    expect(stats[0]?.pass_hat_k).toEqual({ 1: 0.625 });
    expect(stats[1]).toMatchObject({ interval_method: null, row_mean: 0.5 });
    expect(stats[1]?.pass_at_k).toBeUndefined();
  });

  it("has pass@k where that alone is asked", async () => {
    const runs = { own: singles([1, 0, 1, 1]), other: singles([0.5, 1, 0]) };
    const { stats } = await ask(runs, { include_uncertainty: false });
    expect(stats.map((one) => one?.pass_at_k)).toEqual([{ 1: 0.75 }, undefined]);
  });

  it("has the histogram that it had, on the edges that all share", async () => {
    const { stats } = await ask(
      { own: singles([1, 0, 1]), other: singles([0, 4, 2]) },
      { histogram_bins: 4 },
    );
    expect(stats.map((one) => one?.histogram?.counts)).toEqual([
      [1, 2, 0, 0],
      [1, 0, 1, 1],
    ]);
  });
});

describe("texts beside values that pass or fail", () => {
  it("leave the dimension of that evaluation without pass@k, and a warning says so", async () => {
    const runs = {
      mixed: [
        [true, "unsure"],
        [false, true],
      ],
      clean: [
        [true, false],
        [true, true],
      ],
    };
    const { stats, warnings } = await ask(runs, { pass_k: [1, 2] });
    expect(stats[0]?.pass_at_k).toBeUndefined();
    expect(stats[0]?.interval_method).toBe("wilson");
    expect(stats[1]?.pass_at_k).toEqual({ 1: 0.75, 2: 1 });
    expect(warnings).toEqual([
      `"x" has texts beside values that pass or fail in one evaluation, so it has no pass@k there: a text is neither`,
    ]);
  });

  it("are not warned of where no pass@k is asked, or numbers are neither", async () => {
    const mixed = { run: singles([true, "unsure"]) };
    expect((await ask(mixed, { pass_k: [] })).warnings).toEqual([]);
    expect((await ask({ run: singles([2, 3, "unsure"]) })).warnings).toEqual([]);
  });
});
