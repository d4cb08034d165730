import { describe, expect, it } from "vitest";
import type { Engine, EvalResultsRequest, ScorerStats } from "../../src/index.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { refusal } from "../support/refusal.ts";
import { loaded } from "../support/score-runs.ts";

const FAILED = "failed";

/** A run of one trial a row: the scores of each row, or that it failed. */
function run(id: string, rows: readonly (object | typeof FAILED)[]): object[] {
  return [
    root(id),
    ...rows.map((scores, i) =>
      scores === FAILED
        ? trial(`${id}-${i}`, { i }, {}, { parent_id: id, exception: "503", output: null })
        : trial(`${id}-${i}`, { i }, { ...scores }, { parent_id: id }),
    ),
  ];
}

/** Ten rows of which four are right, four wrong and two failed. */
const TEN = [1, 1, 1, 1, 0, 0, 0, 0, FAILED, FAILED] as const;

function of(values: readonly (number | boolean | null | string)[], name = "grade") {
  return values.map((value) => (value === FAILED ? FAILED : { [name]: value }));
}

async function summaryOf(engine: Engine, ids: readonly string[], more: EvalResultsRequest = {}) {
  const { summary, warnings } = await engine.queryEvalResults(PROJECT, {
    evaluation_call_ids: ids,
    include_rows: false,
    include_summary: true,
    include_uncertainty: true,
    ...more,
  });
  return { notes: summary?.notes, warnings, evaluations: summary?.evaluations ?? [] };
}

function figures(stats: ScorerStats | undefined) {
  return [stats?.row_mean, stats?.trial_count, stats?.error_count, stats?.counted_error_count];
}

describe("failed trials", () => {
  it("count nowhere unless a request says as what, and then the summary says so", async () => {
    const engine = await loaded(run("e", of(TEN)));
    const plain = await summaryOf(engine, ["e"]);
    expect(figures(plain.evaluations[0]?.scorer_stats[0])).toEqual([0.5, 8, 2, undefined]);
    expect(plain.notes).toEqual([
      '"e", grade: between 40% and 60% if the 2 failed trials are counted as wrong or as right',
    ]);
    const counted = await summaryOf(engine, ["e"], { count_errors_as: 0 });
    expect(figures(counted.evaluations[0]?.scorer_stats[0])).toEqual([0.4, 10, 2, 2]);
    expect(counted.evaluations[0]?.trial_count).toBe(10);
    expect(counted.notes).toEqual(['"e", grade: errors count as 0 (2 of 10)']);
    const named = await summaryOf(engine, ["e"], {
      count_errors_as: { grade: 1 },
      include_uncertainty: false,
    });
    expect(named.evaluations[0]?.scorer_stats[0]).toMatchObject({
      numeric_mean: 0.6,
      counted_error_count: 2,
    });
    expect(named.notes).toEqual(['"e", grade: errors count as 1 (2 of 10)']);
  });

  it("count as false or true among these", async () => {
    const engine = await loaded(run("e", of([true, true, FAILED, FAILED], "correct")));
    const { evaluations } = await summaryOf(engine, ["e"], { count_errors_as: 0, pass_k: [1] });
    expect(evaluations[0]?.scorer_stats[0]).toMatchObject({
      value_type: "binary",
      pass_rate: 0.5,
      pass_known_count: 4,
      pass_signal_coverage: 1,
      pass_at_k: { 1: 0.5 },
      interval_method: "wilson",
    });
  });

  it("count in dimensions that only another evaluation has; a missing or null score still counts nowhere", async () => {
    const all = { correct: true, judge: { score: 0.5, said: "fine" } };
    const engine = await loaded([
      ...run("good", [all, all, { correct: null }, {}]),
      ...run("broken", [FAILED, FAILED, FAILED, FAILED]),
    ]);
    const { evaluations, notes } = await summaryOf(engine, ["good", "broken"], { count_errors_as: 0 });
    const [good, broken] = evaluations.map(({ scorer_stats: stats }) =>
      stats.map((one) => [one.scorer_key, one.path, one.value_type, ...figures(one)]),
    );
    expect(good).toEqual([
      ["correct", null, "binary", 1, 2, 0, 0],
      ["judge", "said", "text", null, 2, 0, 0],
      ["judge", "score", "continuous", 0.5, 2, 0, 0],
    ]);
    expect(broken).toEqual([
      ["correct", null, "binary", 0, 4, 4, 4],
      ["judge", "score", "continuous", 0, 4, 4, 4],
    ]);
    expect(notes).toEqual([
      '"broken", correct, judge.score: errors count as 0 (4 of 4)',
      '"good", correct: between 66.7% and 100% if the trial without a verdict is counted as wrong or as right',
    ]);
    const board = await engine.leaderboard(PROJECT, { scorers: ["correct"], count_errors_as: 0 });
    expect(board.entries.map((one) => [one.evaluation_call_id, one.scores[0]?.row_mean])).toEqual([
      ["good", 1],
      ["broken", 0],
    ]);
    expect(board.entries.map(({ scores: [score] }) => score?.counted_error_count)).toEqual([0, 4]);
    expect(board.entries.map(({ error_count: count }) => count)).toEqual([0, 4]);
    expect(board.notes).toEqual(['"broken", correct: errors count as 0 (4 of 4)']);
  });

  it("keep a value that they have, and only their own errors count without children", async () => {
    const engine = await loaded([
      root("e"),
      trial("e-0", { i: 0 }, { grade: 1 }, { parent_id: "e" }),
      trial("e-1", { i: 1 }, { grade: 1 }, { parent_id: "e", exception: "after the score" }),
      trial("e-2", { i: 2 }, {}, { parent_id: "e" }),
      { ...trial("e-2-p", {}, {}, { parent_id: "e-2", exception: "503" }), op_name: "Model.predict" },
    ]);
    const means = async (more: EvalResultsRequest) => {
      const { evaluations } = await summaryOf(engine, ["e"], { count_errors_as: 0, ...more });
      return figures(evaluations[0]?.scorer_stats[0]);
    };
    expect(await means({})).toEqual([2 / 3, 3, 1, 1]);
    expect(await means({ include_predict_and_score_children: false })).toEqual([1, 2, 0, 0]);
  });

  it("leave rows, filters and sorts as they are stored", async () => {
    const engine = await loaded(run("e", of(TEN)));
    const zero = { query: { $expr: { $eq: [{ $getField: "scores.grade" }, { $literal: 0 }] } } } as const;
    const asked = {
      evaluation_call_ids: ["e"],
      sort_by: [{ field: "scores.grade" }],
      include_summary: true,
    } as const;
    const [plain, counted] = await Promise.all(
      [{}, { count_errors_as: 0 }].map((more) => engine.queryEvalResults(PROJECT, { ...asked, ...more })),
    );
    expect(counted?.rows).toEqual(plain?.rows);
    const filtered = await engine.queryEvalResults(PROJECT, {
      ...asked,
      filters: [zero],
      count_errors_as: 0,
    });
    expect([filtered.total_rows, filtered.summary?.evaluations[0]?.scorer_stats[0]?.numeric_count]).toEqual([
      4, 4,
    ]);
  });

  it("count where a filter leaves failed trials alone", async () => {
    const engine = await loaded(run("e", of(TEN)));
    const last = { query: { $expr: { $gte: [{ $getField: "inputs.i" }, { $literal: 8 }] } } } as const;
    const { evaluations } = await summaryOf(engine, ["e"], { filters: [last], count_errors_as: 0 });
    expect(figures(evaluations[0]?.scorer_stats[0])).toEqual([0, 2, 2, 2]);
  });

  it("make a difference where the other side has a value", async () => {
    const engine = await loaded([
      ...run("first", of(TEN)),
      ...run("second", of([1, 1, 1, 1, 0, 0, 0, 0, 1, 1])),
    ]);
    const ask = async (more: object) => {
      const request = { baseline: "first", candidates: ["second"], ...more };
      const { comparisons, notes, warnings } = await engine.compareEvaluations(PROJECT, request);
      const { n_common, difference, counted_error_count } = comparisons[0] ?? {};
      return { figures: [n_common, difference, counted_error_count], notes, warnings };
    };
    const plain = await ask({});
    expect([...plain.figures, plain.notes]).toEqual([8, 0, undefined, undefined]);
    expect(plain.warnings).toContain(
      '"first", grade: between 40% and 60% if the 2 failed trials are counted as wrong or as right',
    );
    const counted = await ask({ count_errors_as: 0 });
    expect(counted.figures).toEqual([10, 0.2, 2]);
    expect(counted.notes).toEqual(['"first", grade: errors count as 0 (2 of 10)']);
    expect(counted.warnings).toEqual([]);
  });
});

/** 100 rows, of which so many are right and so many failed. */
function many(passes: number, failed: number) {
  return of(
    Array.from({ length: 100 }, (_, i) => (i < failed ? FAILED : i < failed + passes)),
    "correct",
  );
}

describe("trials without a verdict", () => {
  it("count nowhere unless a request says as what, beside trials in error", async () => {
    const engine = await loaded(run("e", of([true, true, false, false, null, FAILED], "correct")));
    const ask = async (more: EvalResultsRequest) => {
      const { evaluations, notes } = await summaryOf(engine, ["e"], more);
      const [stats] = evaluations[0]?.scorer_stats ?? [];
      const { row_mean, trial_count, null_count, counted_error_count, counted_null_count } = stats ?? {};
      return [row_mean, trial_count, null_count, counted_error_count, counted_null_count, notes];
    };
    const both = "if the failed trial and the trial without a verdict are counted as wrong or as right";
    expect(await ask({})).toEqual([
      0.5,
      4,
      1,
      undefined,
      undefined,
      [`"e", correct: between 33.3% and 66.7% ${both}`],
    ]);
    expect(await ask({ count_nulls_as: 0 })).toEqual([
      0.4,
      5,
      1,
      undefined,
      1,
      [
        '"e", correct: no verdict counts as 0 (1 of 6)',
        '"e", correct: between 33.3% and 50% if the failed trial is counted as wrong or as right',
      ],
    ]);
    expect(await ask({ count_nulls_as: { correct: 1 }, count_errors_as: 0 })).toEqual([
      0.5,
      6,
      1,
      1,
      1,
      ['"e", correct: errors count as 0 (1 of 6)', '"e", correct: no verdict counts as 1 (1 of 6)'],
    ]);
  });

  it("have null in the dimension or above it; what is missing still counts nowhere", async () => {
    const engine = await loaded(
      run("e", [{ judge: { score: 1 } }, { judge: { score: null } }, { judge: null }, { judge: {} }, {}]),
    );
    const { evaluations } = await summaryOf(engine, ["e"], { count_nulls_as: 0 });
    expect(evaluations[0]?.scorer_stats[0]).toMatchObject({
      path: "score",
      row_mean: 1 / 3,
      null_count: 2,
      missing_count: 2,
      counted_null_count: 2,
    });
  });

  it("count in dimensions that only another evaluation has, in comparisons, rankings and pass@k", async () => {
    const engine = await loaded([
      ...run("good", of([true, true, true, false], "correct")),
      ...run("mute", of([null, null, null, null], "correct")),
    ]);
    const counting = { count_nulls_as: 0 };
    const { comparisons, notes } = await engine.compareEvaluations(PROJECT, {
      baseline: "good",
      candidates: ["mute"],
      ...counting,
    });
    expect(comparisons[0]).toMatchObject({ n_common: 4, difference: -0.75, counted_null_count: 4 });
    expect(notes).toEqual(['"mute", correct: no verdict counts as 0 (4 of 4)']);
    const board = await engine.leaderboard(PROJECT, counting);
    expect(board.entries.map(({ scores: [score] }) => [score?.row_mean, score?.counted_null_count])).toEqual([
      [0.75, 0],
      [0, 4],
    ]);
    expect(board.notes).toEqual(notes);
    const { evaluations } = await summaryOf(engine, ["mute"], { ...counting, pass_k: [1] });
    expect(evaluations).toEqual([expect.objectContaining({ scorer_stats: [] })]);
    const beside = await summaryOf(engine, ["mute", "good"], { ...counting, pass_k: [1] });
    expect(beside.evaluations[0]?.scorer_stats[0]).toMatchObject({ pass_at_k: { 1: 0 }, pass_rate: 0 });
  });
});

describe("both ends of a rate", () => {
  it.each([
    [61, 11, ["between 61% and 72% if the 11 failed trials are counted as wrong or as right"]],
    [61, 6, ["between 61% and 67% if the 6 failed trials are counted as wrong or as right"]],
    [61, 5, undefined],
    [61, 0, undefined],
  ])("are told where more than 5 of 100 failed: %i right, %i failed", async (passes, failed, ends) => {
    const engine = await loaded(run("e", many(passes, failed)));
    const { notes } = await summaryOf(engine, ["e"]);
    expect(notes).toEqual(ends?.map((text) => `"e", correct: ${text}`));
    const { warnings } = await engine.leaderboard(PROJECT, {});
    expect(warnings).toEqual(notes ?? []);
  });

  it("are those of the same request that counts them", async () => {
    const engine = await loaded(run("e", many(40, 15)));
    const ends = [0, 1].map(async (number) => {
      const { evaluations } = await summaryOf(engine, ["e"], { count_errors_as: number });
      return evaluations[0]?.scorer_stats[0]?.row_mean;
    });
    expect(await Promise.all(ends)).toEqual([0.4, 0.55]);
    expect((await summaryOf(engine, ["e"])).notes?.[0]).toContain("between 40% and 55%");
  });

  it("are not told of other numbers, nor of -1, nor where each failed trial has a value", async () => {
    const others = of([0.25, 0.5, FAILED, 1]);
    const signed = of([-1, 0, FAILED, 1]);
    const scored = [
      root("scored"),
      ...[true, false].map((correct, i) =>
        trial(`scored-${i}`, { i }, { correct }, { parent_id: "scored", exception: "late" }),
      ),
    ];
    for (const records of [run("e", others), run("e", signed), scored]) {
      const engine = await loaded(records);
      expect((await summaryOf(engine, ["e", "scored"])).notes).toBeUndefined();
    }
  });

  it("are of trials where rows have several", async () => {
    const engine = await loaded([
      ...run("e", of([true, FAILED], "correct")),
      trial("e-more", { i: 0 }, { correct: true }, { parent_id: "e" }),
    ]);
    expect((await summaryOf(engine, ["e"])).notes).toEqual([
      '"e", correct: over trials, between 66.7% and 100% if the failed trial is counted as wrong or as right',
    ]);
  });

  it("are told of twenty places, and of how many more there are", async () => {
    const rows = Array.from({ length: 24 }, (_row, row) =>
      Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`s${i}`, i > row])),
    );
    const engine = await loaded(run("e", [...rows, FAILED, FAILED]));
    const { notes } = await summaryOf(engine, ["e"]);
    expect(notes).toHaveLength(21);
    expect(notes?.at(-1)).toBe("trials without a value: 5 more notes of this kind are left out");
    const counted = await summaryOf(engine, ["e"], { count_errors_as: 0 });
    expect(counted.notes).toEqual(['"e", s0, s1, s10, s11, s12 and 20 more: errors count as 0 (2 of 26)']);
  });

  it("are told once of the scores of which they are the same", async () => {
    const engine = await loaded(run("e", [{ a: true, b: true, c: true }, FAILED]));
    expect((await summaryOf(engine, ["e"])).notes).toEqual([
      '"e", a, b, c: between 50% and 100% if the failed trial is counted as wrong or as right',
    ]);
  });
});

describe("a number that cannot be counted", () => {
  const RUNS = [
    ...run("e", [{ correct: true, judge: { score: 0.5, said: "x" } }, FAILED]),
    ...run("f", [{ other: 1 }]),
  ];
  it("is refused under the name of its member", async () => {
    const engine = await loaded(RUNS);
    const asked = { evaluation_call_ids: ["e"], include_summary: true } as const;
    for (const [as, path, message] of [
      [true, [], /true is not allowed here; expected a finite number/],
      [0.5, [], /so trials without a verdict count there as 0 or 1, not as 0\.5/],
      [{ corect: 0 }, ["corect"], /no trial has a score "corect"; did you mean "correct"/],
    ] as const) {
      const refused = await refusal(
        engine.queryEvalResults(PROJECT, { ...asked, count_nulls_as: as as number }),
      );
      expect(refused).toMatchObject({ path: ["count_nulls_as", ...path] });
      expect(refused.message).toMatch(message);
    }
  });

  it.each<[string, unknown, readonly (string | number)[], RegExp]>([
    ["a text", "0", ["count_errors_as"], /"0" is not allowed here; expected a finite number, or an object/],
    ["not a number", NaN, ["count_errors_as"], /"NaN" is not allowed here/],
    ["infinity", -Infinity, ["count_errors_as"], /"-Infinity" is not allowed here/],
    ["a list", [0], ["count_errors_as"], /a list is not allowed here/],
    ["true", true, ["count_errors_as"], /true is not allowed here/],
    ["a text for a score", { correct: "0" }, ["count_errors_as", "correct"], /expected number/],
    ["NaN for a score", { correct: NaN }, ["count_errors_as", "correct"], /expected number/],
    ["null for a score", { correct: null }, ["count_errors_as", "correct"], /expected number/],
    [
      "half of true",
      { correct: 0.5 },
      ["count_errors_as", "correct"],
      /"correct" are true and false, so errors count there as 0 or 1, not as 0\.5/,
    ],
    ["half of all", 0.5, ["count_errors_as"], /"correct" are true and false.*name the scores/],
    [
      "a misspelt score",
      { corect: 0 },
      ["count_errors_as", "corect"],
      /no trial has a score "corect"; did you mean "correct"\?/,
    ],
    [
      "a scorer",
      { judge: 0 },
      ["count_errors_as", "judge"],
      /"judge" is no score itself; below it are judge\.said, judge\.score/,
    ],
    ["the prototype", JSON.parse('{"__proto__":0}'), ["count_errors_as", "__proto__"], /can have this name/],
    ["no name", { "": 0 }, ["count_errors_as", ""], /./],
  ])("is refused with its place: %s", async (_, number, path, reason) => {
    const engine = await loaded(RUNS);
    const asked = { evaluation_call_ids: ["e"], include_summary: true, count_errors_as: number as number };
    const pieces = async () => {
      for await (const piece of engine.streamEvalResults(PROJECT, asked))
        expect(piece).toBe("nothing is written");
    };
    for (const work of [
      () => engine.queryEvalResults(PROJECT, asked),
      pieces,
      () => engine.leaderboard(PROJECT, { count_errors_as: number as number }),
      () =>
        engine.compareEvaluations(PROJECT, {
          baseline: "e",
          candidates: ["f"],
          count_errors_as: number as number,
        }),
    ]) {
      const refused = await refusal(work());
      expect(refused).toMatchObject({ path, message: expect.stringMatching(reason) as unknown });
    }
  });

  it("is remarked on where a text, or a score of no asked evaluation, is named", async () => {
    const engine = await loaded(RUNS);
    const { warnings, evaluations } = await summaryOf(engine, ["e"], {
      count_errors_as: { "judge.said": 0, other: 0, correct: 0 },
    });
    expect(warnings).toEqual(
      ["judge.said", "other"].map(
        (name) =>
          `count_errors_as names "${name}", of which these evaluations have no number, true or false: nothing is counted there`,
      ),
    );
    expect(evaluations[0]?.scorer_stats.map((one) => [one.path, one.counted_error_count])).toEqual([
      [null, 1],
      ["said", 0],
      ["score", 0],
    ]);
  });

  it("is nothing in an empty project, nor without a summary", async () => {
    const engine = await loaded(RUNS);
    expect(
      (await engine.queryEvalResults("acme/none", { count_errors_as: 0, include_summary: true })).summary,
    ).toEqual({
      row_count: 0,
      evaluations: [],
    });
    const rows = await engine.queryEvalResults(PROJECT, {
      evaluation_call_ids: ["e"],
      count_errors_as: { none: 0 },
    });
    expect([rows.total_rows, rows.summary, rows.warnings]).toEqual([2, null, []]);
  });
});
