import { afterAll, beforeAll, expect, it } from "vitest";
import { demoCalls, gsmEvaluationId } from "../../src/demo/calls.ts";
import { decodeBits } from "../../src/demo/figures.ts";
import { zeroEvalGsm, zeroEvalGsmRuns } from "../../src/demo/zeroeval-gsm.ts";
import { openEngine, type Engine } from "../../src/index.ts";

let engine: Engine;

beforeAll(async () => {
  engine = await openEngine({ threads: 2 });
  await engine.ingestCalls(demoCalls());
});
afterAll(() => engine.close());

const runs = zeroEvalGsmRuns.map((figures) => ({
  id: gsmEvaluationId(figures.model),
  correct: decodeBits(figures.correct, figures.rows),
  unanswered: figures.unanswered.length,
}));

it("has the points of the README for wrong answers and for none", async () => {
  const { summary } = await engine.queryEvalResults(zeroEvalGsm.project, {
    evaluation_call_ids: runs.map(({ id }) => id),
    include_rows: false,
    include_summary: true,
    derived_scores: { points: "correct ? 1 : answered ? -0.25 : 0" },
  });
  for (const [i, { correct, unanswered }] of runs.entries()) {
    const right = correct.filter(Boolean).length;
    const expected = (right - (correct.length - right - unanswered) / 4) / correct.length;
    const stats = summary?.evaluations[i]?.scorer_stats.find(({ scorer_key }) => scorer_key === "points");
    expect(stats?.numeric_mean).toBeCloseTo(expected, 12);
  }
  const mixtral = summary?.evaluations.find(({ display_name }) => display_name?.startsWith("Mixtral"));
  const rates = mixtral?.scorer_stats.map(({ numeric_mean, pass_rate }) =>
    (numeric_mean ?? pass_rate)?.toFixed(3),
  );
  expect(rates).toEqual(["0.977", "0.701", "0.632"]);
});

it("has the agreement of the README between being right and having answered", async () => {
  const answer = await engine.agreement(zeroEvalGsm.project, {
    evaluations: runs.map(({ id }) => id),
    a: "correct",
    b: "answered",
  });
  const count = (of: (run: (typeof runs)[number]) => number) => runs.reduce((sum, run) => sum + of(run), 0);
  const total = count(({ correct }) => correct.length);
  const right = count(({ correct }) => correct.filter(Boolean).length);
  const unanswered = count((run) => run.unanswered);
  expect(total).toBe(17_828);
  expect(answer.confusion_matrix?.counts).toEqual([
    [unanswered, total - right - unanswered],
    [0, right],
  ]);
  expect(answer.raw_agreement.toFixed(3)).toBe("0.825");
  expect(answer.cohen_kappa?.toFixed(3)).toBe("0.034");
});
