import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  openEngine,
  type Comparison,
  type Engine,
  type EvaluationSummary,
  type LeaderboardAnswer,
  type LeaderboardRequest,
  type LeaderboardScore,
  type Summary,
} from "../../src/index.ts";
import { callsOf, PROJECT, tameRuns } from "../oracle/scored-runs.ts";
import { call, root, trial } from "../support/records.ts";

const SEED = Number(process.env["SEED"] ?? 77);

/** A run of one trial a row: the value of each row, undefined for a row without a trial. */
function run(id: string, values: readonly unknown[], others: object = {}): object[] {
  return [
    root(id, { display_name: `the ${id}`, inputs: { model: `svc:///acme/qa/object/${id}:v1` }, ...others }),
    ...values.flatMap((correct, i) =>
      correct === undefined
        ? []
        : [
            trial(
              `${id}-${i}`,
              { i },
              { correct },
              correct === null ? { parent_id: id, exception: "ValueError" } : { parent_id: id },
            ),
          ],
    ),
  ];
}

/** `n` values of which the first `passes` are true. */
function passing(n: number, passes: number): boolean[] {
  return Array.from({ length: n }, (_, i) => i < passes);
}

describe("a leaderboard of random runs", () => {
  it("has the statistics of a summary, and the verdicts of a comparison with the best", async () => {
    let compared = 0;
    const property = fc.asyncProperty(tameRuns, async (runs) => {
      const engine = await openEngine();
      await engine.ingestCalls(callsOf(runs));
      const board = await engine.leaderboard(PROJECT, { adjust: "none" });
      const summary = await summaryOf(engine, board);
      expect(board.row_count).toBe(summary?.row_count);
      for (const [i, { scores, trial_count }] of board.entries.entries()) {
        expect(trial_count).toBe(summary?.evaluations[i]?.trial_count);
        expect(scores.map(countTrials)).toEqual(scores.map(() => trial_count));
        expect(statsOf(board, summary?.evaluations[i])).toMatchObject(scores);
      }
      expect(comparable(board)).toEqual(await comparisonsOf(engine, board));
      compared += comparable(board).length;
      await engine.close();
    });
    await fc.assert(property, { seed: SEED, numRuns: 10 });
    expect(compared).toBeGreaterThan(0);
  });
});

function countTrials(score: LeaderboardScore): number {
  return score.trial_count + score.missing_count + score.null_count + score.error_count;
}

async function summaryOf(engine: Engine, board: LeaderboardAnswer): Promise<Summary | null> {
  const { summary } = await engine.queryEvalResults(PROJECT, {
    evaluation_call_ids: board.entries.map((entry) => entry.evaluation_call_id),
    include_rows: false,
    include_summary: true,
    include_uncertainty: true,
  });
  return summary;
}

/** What a summary says of each dimension; only counts of nothing where it says nothing. */
function statsOf(board: LeaderboardAnswer, evaluation: EvaluationSummary | undefined): object[] {
  const nothing = { row_mean: null, scored_row_count: 0, confidence_interval: null, interval_method: null };
  const passes = { pass_rate: null, pass_true_count: 0, pass_known_count: 0, trial_count: 0 };
  return board.dimensions.map((dimension, i) => {
    const found = evaluation?.scorer_stats.find(
      (one) => one.scorer_key === dimension.scorer_key && one.path === dimension.path,
    );
    const entry = board.entries.find((one) => one.evaluation_call_id === evaluation?.evaluation_call_id);
    return found ?? { ...entry?.scores[i], ...nothing, ...passes };
  });
}

/** The comparisons with the best one that `compareEvaluations` would not refuse for want of rows. */
function comparable(board: LeaderboardAnswer): readonly Comparison[] {
  return board.entries
    .flatMap(({ against_best: found }) => found ?? [])
    .filter((one) => one.n_common + one.n_missing_baseline + one.n_missing_candidate >= 2);
}

/** The same comparisons as `compareEvaluations` makes them. */
async function comparisonsOf(engine: Engine, board: LeaderboardAnswer): Promise<readonly Comparison[]> {
  const candidates = comparable(board).map((one) => one.candidate);
  const headline = board.dimensions[board.headline ?? -1];
  if (headline === undefined || candidates.length === 0) return [];
  const { scorer_key, path } = headline;
  const { comparisons } = await engine.compareEvaluations(PROJECT, {
    baseline: ids(board)[0] ?? "",
    candidates,
    scorers: [path === null ? scorer_key : `${scorer_key}.${path}`],
    adjust: "none",
  });
  return comparisons.filter((one) => one.scorer_key === scorer_key && one.path === path);
}

function ids(board: LeaderboardAnswer): string[] {
  return board.entries.map((entry) => entry.evaluation_call_id);
}

describe("a leaderboard", () => {
  let engine: Engine;
  const ask = (request: LeaderboardRequest = {}, project = PROJECT) => engine.leaderboard(project, request);

  beforeAll(async () => {
    engine = await openEngine();
    await engine.ingestCalls([
      ...run("good", passing(40, 38), {
        attributes: { branch: "main", n: 3 },
        started_at: "2026-01-02T00:00:00Z",
      }),
      ...run("near", [...passing(39, 37), null], {
        attributes: { branch: "main", n: "3" },
        started_at: "2026-01-01T00:00:00Z",
      }),
      ...run("bad", passing(40, 4), {
        attributes: { branch: "dev" },
        inputs: { model: "svc:///acme/qa/object/near:v2" },
        started_at: "2026-01-03T00:00:00Z",
      }),
      ...run("twin", passing(40, 38), { inputs: {}, started_at: "2026-01-04T00:00:00Z" }),
      ...run("apart", [...Array.from({ length: 50 }, () => undefined), true, false], {
        inputs: { model: "gpt" },
        started_at: "2026-01-05T00:00:00Z",
      }),
      root("empty", {
        inputs: { model: "svc:///acme/qa/object/near:v3" },
        started_at: "2026-01-06T00:00:00Z",
      }),
    ]);
  });
  afterAll(() => engine.close());

  it("has the best first, then by id, and says how each stands against the best", async () => {
    const board = await ask();
    const told = board.entries.map((one) => [
      one.evaluation_call_id,
      one.standing,
      one.rank_interval,
      one.tier,
    ]);
    expect(told).toEqual([
      ["good", "best", [1, 4], 1],
      ["twin", "not_shown_worse", [1, 4], 1],
      ["near", "not_shown_worse", [1, 4], 1],
      ["apart", "not_shown_worse", [1, 5], 1],
      ["bad", "worse", [4, 5], 2],
      ["empty", null, null, null],
    ]);
    expect(board).toMatchObject({
      headline: 0,
      confidence: 0.95,
      family_size: 6,
      row_count: 42,
      warnings: [],
    });
  });

  it("counts rows, trials, errors and trials without a value", async () => {
    const { entries } = await ask();
    const near = entries.find((entry) => entry.evaluation_call_id === "near");
    expect(near).toMatchObject({ row_count: 40, trial_count: 40, error_count: 1, evaluation_count: 1 });
    expect(near?.scores).toMatchObject([
      { trial_count: 39, missing_count: 0, null_count: 0, error_count: 1, scored_row_count: 39 },
    ]);
    expect(entries.at(-1)).toMatchObject({ row_count: 0, trial_count: 0, cost: null });
  });

  it("has the lowest first where lower is better", async () => {
    const board = await ask({ lower_is_better: ["correct"] });
    expect(ids(board)).toEqual(["bad", "apart", "near", "good", "twin", "empty"]);
    expect(board.entries[0]).toMatchObject({ evaluation_call_id: "bad", standing: "best" });
    expect(board.entries.find((entry) => entry.evaluation_call_id === "good")?.standing).toBe("worse");
  });

  it.each<[string, LeaderboardRequest, string[]]>([
    ["where the fields of the root call hold", { where: { "attributes.branch": "main" } }, ["good", "near"]],
    ["of several values", { where: { "attributes.branch": ["main", "dev"] } }, ["good", "near", "bad"]],
    ["with numbers as filters read them", { where: { "attributes.n": 3 } }, ["good", "near"]],
    ["without a field", { where: { "attributes.branch": null } }, ["twin", "apart", "empty"]],
    ["by the name of a model", { where: { model: "near" } }, ["near", "bad", "empty"]],
    ["where all fields hold", { where: { model: "near", "attributes.branch": "dev" } }, ["bad"]],
    ["that are named", { evaluations: ["bad", "near"] }, ["near", "bad"]],
  ])("keeps evaluations %s", async (_which, request, kept) => {
    expect(ids(await ask(request))).toEqual(kept);
  });

  it("says which field of `where` no evaluation has, and that none is left", async () => {
    const board = await ask({ where: { "attributes.brunch": "main" } });
    expect(board.entries).toEqual([]);
    expect(board.warnings).toEqual([
      'no evaluation has "attributes.brunch"',
      "where keeps none of 6 evaluations",
    ]);
  });

  it("shows the latest evaluation of each model that has trials, and leaves out those without a model", async () => {
    const board = await ask({ by: "model" });
    expect(
      board.entries.map((entry) => [entry.model, entry.evaluation_call_id, entry.evaluation_count]),
    ).toEqual([
      ["good", "good", 1],
      ["gpt", "apart", 1],
      ["near", "bad", 3],
    ]);
    expect(board.warnings).toEqual(["1 of 6 evaluations name no model and are left out"]);
  });

  it.each<[LeaderboardRequest["sort_by"], string[]]>([
    [[{ field: "started_at" }], ["near", "good", "bad", "twin", "apart", "empty"]],
    [[{ field: "started_at", direction: "desc" }], ["empty", "apart", "twin", "bad", "good", "near"]],
    [
      [{ field: "errors", direction: "desc" }, { field: "name" }],
      ["near", "empty", "apart", "bad", "good", "twin"],
    ],
    [[{ field: "scores.correct", direction: "asc" }], ["bad", "apart", "near", "good", "twin", "empty"]],
    [[{ field: "trials" }], ["empty", "apart", "bad", "good", "near", "twin"]],
    [[{ field: "model" }], ["good", "apart", "bad", "empty", "near", "twin"]],
  ])("is in the order of %j, while the best stays the best", async (sort_by, order) => {
    const board = await ask({ sort_by });
    expect(ids(board)).toEqual(order);
    expect(board.entries.find(({ standing }) => standing === "best")?.evaluation_call_id).toBe("good");
  });

  it("takes filters and computed scores as a query does", async () => {
    const request: LeaderboardRequest = {
      derived_scores: { half: "correct ? 0.5 : 0" },
      scorers: ["half"],
      filters: [{ query: { $expr: { $gte: [{ $getField: "inputs.i" }, { $literal: 30 }] } } }],
    };
    const board = await ask(request);
    expect(board.row_count).toBe(12);
    const good = board.entries.find((entry) => entry.evaluation_call_id === "good");
    expect(good?.scores[0]).toMatchObject({ row_mean: 0.4, scored_row_count: 10 });
  });

  it.each<[LeaderboardRequest, RegExp]>([
    [{ evaluations: ["?"] }, /^evaluations\[0\]: evaluation "\?" is not in this project/],
    [{ scorers: ["corect"] }, /^scorers\[0\]: no trial has a score "corect"; did you mean "correct"\?/],
    [
      // @ts-expect-error the types refuse it too
      { sort_by: [{ field: "speed" }] },
      /^sort_by\[0\]\.field: entries are not ordered by "speed"; there are/,
    ],
    [
      { where: { branch: "main" } },
      /^where\.branch: evaluations have no field "branch"; there are attributes/,
    ],
    [{ prices: { m: { input: -1, output: 1 } } }, /^prices\.m\.input: /],
  ])("refuses %j by name", async (request, message) => {
    await expect(ask(request)).rejects.toThrow(message);
  });

  it("of an unknown project is empty and says so", async () => {
    const board = await ask({}, "acme/nothing");
    expect(board).toMatchObject({ entries: [], dimensions: [], headline: null, row_count: 0 });
    expect(board.warnings).toEqual(["the project has no evaluation"]);
  });

  it("compares more evaluations than fit one statement, on the rows that the filters of all keep", async () => {
    const project = "acme/many";
    const calls = Array.from({ length: 75 }, (_, i) => {
      const id = `run-${String(i).padStart(2, "0")}`;
      return run(id, passing(20, i === 40 ? 20 : (i * 7) % 14));
    }).flat();
    await engine.ingestCalls(calls.map((one): object => ({ ...one, project_id: project })));
    const everyOne: LeaderboardRequest["filters"] = [
      { query: { $expr: { $lt: [{ $getField: "inputs.i" }, { $literal: 15 }] } } },
      { query: { $expr: { $eq: [{ $getField: "scores.correct" }, { $literal: true }] } }, quantifier: "all" },
    ];
    const filters = everyOne.slice(0, 1);
    const board = await ask({ filters }, project);
    expect(board).toMatchObject({ family_size: 74, row_count: 15 });
    expect(board.entries[0]?.evaluation_call_id).toBe("run-40");
    for (const { evaluation_call_id: id, against_best: found } of board.entries.slice(1)) {
      const passes = (Number(id.slice(4)) * 7) % 14;
      expect(found).toMatchObject({ n_common: 15, difference: (passes - 15) / 15 });
    }
    const none = await ask({ filters: everyOne }, project);
    expect(none).toMatchObject({ row_count: 0, family_size: 0 });
  });

  it("sums no trial twice where a call is loaded again", async () => {
    const before = await ask();
    await engine.ingestCalls([call("good-0-child", { parent_id: "good-0" })]);
    expect(await ask()).toEqual(before);
  });
});
