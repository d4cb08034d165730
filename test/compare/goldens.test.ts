import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type CompareRequest, type Engine } from "../../src/index.ts";
import { hostileTexts } from "../support/hostile-texts.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { refusal } from "../support/refusal.ts";
import { booleans, loaded, numbers, run } from "../support/score-runs.ts";

async function comparison(calls: readonly object[], others: Partial<CompareRequest> = {}) {
  const engine = await loaded(calls);
  const answer = await engine.compareEvaluations(PROJECT, { baseline: "b", candidates: ["a"], ...others });
  return { ...answer, first: answer.comparisons[0] };
}

const close = (value: number) => expect.closeTo(value, 12);

/** Numbers beside 0 and 1, which are a rate. */
function above(digits: string): number[] {
  return numbers(digits).map((x) => x + 1);
}

const A = "1110110111";
const B = "1010100101";

const reference = (version: string) => (i: number) =>
  `svc:///acme/qa/object/data:${version}/attr/rows/id/r${i}`;

/** Six rows of one group, the others of one each. */
const grouped = (i: number) => ({ i, group: i < 6 ? "big" : i });

/** Two rows of each group. */
const pairs = (i: number) => ({ i, group: Math.floor(i / 2) });

/** Five groups of 99 rows, of which one has some more. */
const uneven = (i: number) => ({ i, group: i < 22 ? "a" : (i - 22) % 4 });

/** Five groups of as many rows. */
const byFive = (i: number) => ({ i, group: i % 5 });

/** A number to twelve digits. */
const exact = (value: number) => expect.closeTo(value, -Math.floor(Math.log10(value)) + 12);

describe("a comparison", () => {
  it("of numbers is a paired t test", async () => {
    const { first, family_size } = await comparison([...run("a", above(A)), ...run("b", above(B))]);
    expect(family_size).toBe(1);
    expect(first).toMatchObject({
      n_common: 10,
      difference: close(0.3),
      standard_error: close(0.15275252316519464),
      p_value: close(0.08112618884584057),
      confidence_interval: [close(-0.045550214414), close(0.645550214414)],
      method: "paired-t",
      verdict: "inconclusive",
      minimum_detectable_effect: expect.closeTo(0.5304, 4),
      rows_improved: 3,
      rows_regressed: 0,
      rows_tied: 7,
    });
  });

  // Solved by bisection in Python from the formula: (c − t)² (1 − v/2)² = z² (1 + (c² + t²) v), v = (kurtosis − 1) / (4 df).
  it.each([1, 0.5, 1 / 3])(
    "of numbers knows how well the farthest row tells the spread (times %d)",
    async (unit) => {
      const d = [1, -1, 2, -2, 1, -1, 0, 3, -2, 9];
      const { first } = await comparison([
        ...run(
          "a",
          d.map((one) => 5 * unit + one * unit),
        ),
        ...run(
          "b",
          d.map(() => 5 * unit),
        ),
      ]);
      expect(first?.minimum_detectable_effect).toBeCloseTo(4.363127 * unit, 5);
    },
  );

  it("of booleans is McNemar's mid-p test", async () => {
    const right = booleans(`${"1".repeat(11)}0${"1".repeat(5)}`);
    const { first } = await comparison([
      ...run("a", right),
      ...run("b", booleans("0".repeat(11) + "1" + "1".repeat(5))),
    ]);
    expect(first).toMatchObject({
      method: "mcnemar-mid-p",
      p_value: close(0.00341796875),
      verdict: "improved",
      rows_improved: 11,
      rows_regressed: 1,
      rows_tied: 5,
      minimum_detectable_effect: null,
    });
    const swapped = await comparison(
      [...run("a", right), ...run("b", booleans("0".repeat(11) + "1" + "1".repeat(5)))],
      { lower_is_better: ["score"] },
    );
    expect(swapped.first).toMatchObject({ verdict: "regressed", rows_improved: 1, rows_regressed: 11 });
  });

  it("says that 100 % against 90 % of 20 rows means nothing", async () => {
    const { first } = await comparison([
      ...run("a", booleans("1".repeat(20))),
      ...run("b", booleans("1".repeat(18) + "00")),
    ]);
    expect(first).toMatchObject({
      p_value: close(0.25),
      verdict: "inconclusive",
      baseline_mean: 0.9,
      candidate_mean: 1,
    });
  });

  it("finds equivalence within a margin", async () => {
    const d = [0.02, -0.01, 0.03, 0, -0.02, 0.01, 0.04, -0.03];
    const calls = [
      ...run("a", d),
      ...run(
        "b",
        d.map(() => 0),
      ),
    ];
    const { first } = await comparison(calls, { margin: 0.1 });
    expect(first).toMatchObject({
      difference: close(0.005),
      standard_error: close(0.008660254037844387),
      verdict: "equivalent",
    });
    expect(first?.equivalence_p_value_adjusted).toBeCloseTo(5.79e-6, 7);
    expect((await comparison(calls)).first?.verdict).toBe("inconclusive");
  });

  it("of a run with its copy finds no difference, and equivalence of many booleans", async () => {
    const values = booleans("10".repeat(40));
    const { first } = await comparison([...run("a", values), ...run("b", values)], { margin: 0.05 });
    expect(first).toMatchObject({ difference: 0, p_value: 1, rows_tied: 80, verdict: "equivalent" });
    const copied = await comparison([...run("a", [0.1, 0.7]), ...run("b", [0.1, 0.7])]);
    expect(copied.first).toMatchObject({ difference: 0, p_value: 1, verdict: "inconclusive" });
  });

  it("tests signs where every difference is the same, rounding apart", async () => {
    const { first } = await comparison([
      ...run("a", [0.8, 0.9, 0.3, 0.4, 0.5, 0.6]),
      ...run("b", [0.7, 0.8, 0.2, 0.3, 0.4, 0.5]),
    ]);
    expect(first).toMatchObject({
      standard_error: 0,
      method: "sign-exact",
      p_value: close(2 / 2 ** 6),
      verdict: "moved",
    });
  });

  it("adjusts over the whole answer", async () => {
    const engine = await loaded([
      ...run("b", booleans("0".repeat(12))),
      ...run("a", booleans("1".repeat(6) + "0".repeat(6))),
      ...run("c", booleans("1".repeat(3) + "0".repeat(9))),
    ]);
    const p = async (adjust: CompareRequest["adjust"]) => {
      const { comparisons } = await engine.compareEvaluations(PROJECT, {
        baseline: "b",
        candidates: ["a", "c"],
        adjust,
      });
      return comparisons.map((one) => [one.p_value_adjusted, one.verdict]);
    };
    expect(await p("none")).toEqual([
      [close(0.015625), "improved"],
      [close(0.125), "inconclusive"],
    ]);
    expect(await p("holm")).toEqual([
      [close(0.03125), "improved"],
      [close(0.125), "inconclusive"],
    ]);
  });

  it("reports all that makes the two sides unlike", async () => {
    const engine = await loaded([
      ...run("b", [[1, 0], 1, 0, 1], reference("v1")),
      ...run("a", [true, false, null, true, false], reference("v2")),
      root("a", { inputs: { self: "svc:///acme/qa/object/eval:v2" } }),
      root("b", { inputs: { self: "svc:///acme/qa/object/eval:v1" } }),
    ]);
    const { warnings } = await engine.compareEvaluations(PROJECT, { baseline: "b", candidates: ["a"] });
    const text = warnings.join("\n");
    expect(text).toMatch(/0 rows in the baseline only and 1 in the candidate only/);
    expect(text).toMatch(/"b" has up to 2 trials on a row/);
    expect(warnings).toContain('"a": task eval:v2, the baseline eval:v1');
    expect(warnings).toContain('"a": dataset data:v2, the baseline data:v1');
    expect(text).not.toContain(":///");
    expect(text).toMatch(/left out: 1 row without a value in/);
    expect(text).toMatch(/numbers on one side and booleans/);
    expect(text).toMatch(/"b" has not finished: it has 4 of the 5 rows of "a"/);
    expect(text).toMatch(/between 40% and 60% if the trial without a verdict is counted/);
    expect(warnings).toHaveLength(8);
    await engine.ingestCalls([root("b", { id: "b", ended_at: "2026-01-02T00:00:00Z" })]);
    const ended = await engine.compareEvaluations(PROJECT, { baseline: "b", candidates: ["a"] });
    expect(ended.warnings.join("\n")).not.toContain("has not finished");
  });

  it("gives no verdict, no p value and no interval where clusters are too few", async () => {
    const { first, warnings, family_size } = await comparison(
      [...run("a", numbers(A), grouped), ...run("b", numbers(B), grouped)],
      { cluster_by: "inputs.group" },
    );
    expect(first).toMatchObject({
      difference: close(0.3),
      method: null,
      p_value: null,
      confidence_interval: null,
      adjusted_confidence_interval: null,
      verdict: "inconclusive",
      reason: "5 clusters, the largest with 6 of 10 rows, have 2.1 degrees of freedom; a verdict needs 4",
    });
    expect(family_size).toBe(0);
    expect(warnings.join("\n")).toMatch(/one cluster holds 6 of 10 rows, more than a third/);
  });

  it("says less than needed where the degrees of freedom of clusters are just below it", async () => {
    const rows = Array.from({ length: 99 }, (_, i) => (i * 7) % 5);
    const { first } = await comparison(
      [
        ...run("a", rows, uneven),
        ...run(
          "b",
          rows.map((x, i) => x + (i % 3)),
          uneven,
        ),
      ],
      { cluster_by: "inputs.group" },
    );
    expect(first?.reason).toBe(
      "5 clusters, the largest with 22 of 99 rows, have 3.9 degrees of freedom; a verdict needs 4",
    );
  });

  it.each([1, 2, 3, 8, 40])(
    "judges five equal clusters, which have four degrees of freedom: of %i rows",
    async (size) => {
      const rows = Array.from({ length: 5 * size }, (_, i) => 2 + ((i * 7) % 3));
      const worse = rows.map((x, i) => x - 4 - (i % 5) / 10);
      const { first } = await comparison([...run("a", worse, byFive), ...run("b", rows, byFive)], {
        cluster_by: "inputs.group",
        higher_is_better: ["score"],
      });
      expect(first).toMatchObject({ method: "clustered-t", reason: null, verdict: "regressed" });
    },
  );

  it("of clusters that all add up to nothing finds no difference", async () => {
    const { first } = await comparison(
      [...run("a", numbers("10".repeat(12)), pairs), ...run("b", numbers("01".repeat(12)), pairs)],
      { cluster_by: "inputs.group" },
    );
    expect(first).toMatchObject({ difference: 0, standard_error: 0, p_value: 1, verdict: "inconclusive" });
  });

  it("counts no row that moved by the rounding of doubles alone", async () => {
    const { first } = await comparison([
      ...run("a", [[0.1, 0.2, 0.3], 0.30000000000000004, 0.9, 0.5]),
      ...run("b", [0.2, 0.3, 0.4, 0.5]),
    ]);
    expect(first).toMatchObject({ rows_improved: 1, rows_regressed: 0, rows_tied: 3 });
  });

  it("keeps all digits of a mean beside one that is far larger", async () => {
    const engine = await loaded([
      ...run("b", [1e15, 3e15, 2e15]),
      ...run("a", [5e-12, 6e-12, 5.5e-12]),
      ...run("c", [0.1, 0.2, 0.3]),
    ]);
    const of = async (baseline: string, candidates: string[]) =>
      (await engine.compareEvaluations(PROJECT, { baseline, candidates })).comparisons.map((one) => [
        one.baseline_mean,
        one.candidate_mean,
      ]);
    expect(await of("b", ["a", "c"])).toEqual([
      [2e15, exact(5.5e-12)],
      [2e15, exact(0.2)],
    ]);
    expect(await of("c", ["b", "a"])).toEqual([
      [exact(0.2), 2e15],
      [exact(0.2), exact(5.5e-12)],
    ]);
    const { entries } = await engine.leaderboard(PROJECT, {});
    expect(entries.map(({ scores }) => scores[0]?.row_mean)).toEqual([2e15, exact(0.2), exact(5.5e-12)]);
  });

  it("has an entry for a candidate that has no value in a score, with the reason", async () => {
    const engine = await loaded([
      ...run("b", [
        { x: 1, y: 1 },
        { x: 0, y: 1 },
        { x: 1, y: 0 },
      ]),
      ...run("a", [
        { x: 1, y: 0 },
        { x: 1, y: 1 },
        { x: 1, y: 1 },
      ]),
      ...run("c", [{ x: 1 }, { x: 1 }, { x: 1 }]),
    ]);
    const { comparisons } = await engine.compareEvaluations(PROJECT, {
      baseline: "b",
      candidates: ["a", "c"],
    });
    expect(comparisons.map((one) => [one.candidate, one.path, one.n_common, one.reason])).toEqual([
      ["a", "x", 3, null],
      ["a", "y", 3, null],
      ["c", "x", 3, null],
      ["c", "y", 0, "the candidate has no value"],
    ]);
    expect(comparisons[3]).toMatchObject({ difference: null, p_value: null, verdict: "inconclusive" });
  });

  it("counts scores that are computed from others", async () => {
    const { comparisons } = await comparison([...run("a", numbers(A)), ...run("b", numbers(B))], {
      derived_scores: { doubled: "2 * score" },
      scorers: ["doubled"],
    });
    expect(comparisons).toMatchObject([
      { scorer_key: "doubled", difference: close(0.6), p_value: close(0.08112618884584057) },
    ]);
  });

  it("keeps to the rows of the filters", async () => {
    const { first } = await comparison([...run("a", numbers(A)), ...run("b", numbers(B))], {
      filters: [{ query: { $expr: { $lt: [{ $getField: "inputs.i" }, { $literal: 4 }] } } }],
    });
    expect(first).toMatchObject({ n_common: 4, n_only_baseline: 0, n_only_candidate: 0 });
  });

  it("has names as they are", async () => {
    const scores = Object.fromEntries(hostileTexts.filter((name) => name !== "").map((name, i) => [name, i]));
    const calls = ["a'\"b", "--\u0001"].flatMap((id) => [
      root(id),
      ...[1, 2, 3].map((i) => trial(`${id}-${i}`, { i, "g'.\"": i }, scores, { parent_id: id })),
    ]);
    const engine = await loaded(calls);
    const answer = await engine.compareEvaluations(PROJECT, {
      baseline: "a'\"b",
      candidates: ["--\u0001"],
      cluster_by: "inputs.g'\\.\"",
    });
    expect(new Set(answer.comparisons.map((one) => one.scorer_key))).toEqual(new Set(Object.keys(scores)));
    const named = await engine.compareEvaluations(PROJECT, {
      baseline: "a'\"b",
      candidates: ["--\u0001"],
      scorers: ["''; DROP TABLE calls; --", "a\\.b"],
    });
    expect(named.comparisons.map((one) => one.scorer_key)).toEqual(["''; DROP TABLE calls; --", "a.b"]);
  });
});

describe("a comparison that cannot be made", () => {
  let engine: Engine;

  beforeAll(async () => {
    engine = await openEngine();
    await engine.ingestCalls([
      ...run("b", numbers(B)),
      ...run("a", numbers(A)),
      ...run("one", [1]),
      ...run("none", [1, 0], (i) => ({ other: i })),
      ...run("text", ["x", "y"]),
      root("empty"),
    ]);
  });
  afterAll(() => engine.close());

  it.each<[string, CompareRequest, readonly (string | number)[], RegExp]>([
    [
      "the baseline among the candidates",
      { baseline: "b", candidates: ["a", "b"] },
      ["candidates", 1],
      /not compared with itself/,
    ],
    ["a candidate twice", { baseline: "b", candidates: ["a", "a"] }, ["candidates", 1], /named twice/],
    ["no candidates", { baseline: "b", candidates: [] }, ["candidates"], /./],
    ["an unknown baseline", { baseline: "?", candidates: ["a"] }, ["baseline"], /not in this project/],
    [
      "an unknown candidate",
      { baseline: "b", candidates: ["a", "?"] },
      ["candidates", 1],
      /not in this project/,
    ],
    ["an evaluation without trials", { baseline: "b", candidates: ["empty"] }, ["candidates", 0], /no row/],
    ["one common row", { baseline: "b", candidates: ["one"] }, ["candidates", 0], /one row only/],
    [
      "no common rows with any of several",
      { baseline: "b", candidates: ["one", "none"] },
      ["candidates", 0],
      /one row only/,
    ],
    ["no common rows", { baseline: "b", candidates: ["none"] }, ["candidates", 0], /no row .*10 .* 2 /],
    [
      "an unknown scorer",
      { baseline: "b", candidates: ["a"], scorers: ["speed"] },
      ["scorers", 0],
      /"speed".*"score"/,
    ],
    [
      "lower_is_better of what is not compared",
      { baseline: "b", candidates: ["a"], lower_is_better: ["x"] },
      ["lower_is_better", 0],
      /none of the scores/,
    ],
    [
      "clusters by a score",
      // @ts-expect-error the types refuse it too
      { baseline: "b", candidates: ["a"], cluster_by: "scores.score" },
      ["cluster_by"],
      /inputs\.<path>/,
    ],
    ["an impossible margin", { baseline: "b", candidates: ["a"], margin: 0 }, ["margin"], /./],
    ["an impossible confidence", { baseline: "b", candidates: ["a"], confidence: 1 }, ["confidence"], /./],
    ["an unknown member", { baseline: "b", candidates: ["a"], alpha: 0.05 } as never, ["alpha"], /unknown/i],
    ["k of no trials", { baseline: "b", candidates: ["a"], filters: [{}] } as never, ["filters", 0], /./],
  ])("because of %s names the place", async (_why, request, path, message) => {
    const error = await refusal(engine.compareEvaluations(PROJECT, request));
    expect("path" in error ? (error.path as unknown[]).slice(0, path.length) : null).toEqual(path);
    expect(error.message).toMatch(message);
  });

  it("is for want of shared rows only where no candidate shares two", async () => {
    const { comparisons, family_size } = await engine.compareEvaluations(PROJECT, {
      baseline: "b",
      candidates: ["one", "a", "none"],
    });
    expect(comparisons.map(({ candidate, n_common }) => [candidate, Math.min(2, n_common)])).toEqual([
      ["one", 1],
      ["a", 2],
      ["none", 0],
    ]);
    expect(family_size).toBe(1);
  });

  it("because all scores are text says so", async () => {
    const other = await loaded([...run("a", ["x", "y"]), ...run("b", ["x", "z"])]);
    const error = await refusal(
      other.compareEvaluations(PROJECT, { baseline: "b", candidates: ["a"], scorers: ["score"] }),
    );
    expect(error.message).toMatch(/is text/);
  });
});
