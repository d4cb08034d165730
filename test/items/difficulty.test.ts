import { describe, expect, it } from "vitest";
import type { EvalResultsRequest } from "../../src/index.ts";
import { seededRandom } from "../../src/stats/numeric/random.ts";
import { call, PROJECT, root, trial } from "../support/records.ts";
import { refusal } from "../support/refusal.ts";
import { engineOf } from "./engine-of.ts";

const SEED = Number(process.env["SEED"] ?? 77);
const ROWS = 40;
const ENDED = { ended_at: "2026-01-01T00:00:01Z" };

/** What each trial of each row is, right or not; of evaluations a and b, which are asked for, and four others. */
function drawn(): Record<string, boolean[][]> {
  const random = seededRandom(SEED);
  const row = (ease: number, trials: number) => Array.from({ length: trials }, () => random() < ease);
  const of = (trials: number) => Array.from({ length: ROWS }, (_, q) => row(((q * 7) % ROWS) / ROWS, trials));
  return {
    a: of(1),
    b: of(2),
    c: of(1),
    d: of(3),
    e: of(2).slice(0, ROWS - 5),
    running: of(1),
    failed: of(1),
  };
}

const VALUES = drawn();
const ROOTS: Record<string, Record<string, string>> = {
  running: {},
  failed: { ...ENDED, exception: "Error: out of time" },
};

const CALLS = Object.entries(VALUES).flatMap(([id, rows]) => [
  root(id, ROOTS[id] ?? ENDED),
  ...rows.flatMap((trials, q) =>
    trials.map((ok, i) =>
      trial(`${id}-${q}-${i}`, { q }, { ok, judge: { points: ok ? 0.75 : 0.25 } }, { parent_id: id }),
    ),
  ),
]);

const mean = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0) / numbers.length;

/** 1 less the mean over evaluations of the mean of a row's trials; undefined where none has the row. */
function difficultyOf(q: number, from: readonly string[] = ["c", "d", "e"]): number | undefined {
  const means = from.flatMap((id) => {
    const trials = VALUES[id]?.[q];
    return trials === undefined ? [] : [mean(trials.map(Number))];
  });
  return means.length === 0 ? undefined : 1 - mean(means);
}

const QUESTIONS = Array.from({ length: ROWS }, (_, q) => q);
const stepOf = (difficulty: number) => Math.min(4, Math.floor(5 * difficulty + 1e-9));
const STEPS = ["0.0 to 0.2", "0.2 to 0.4", "0.4 to 0.6", "0.6 to 0.8", "0.8 to 1.0"];

function harder(than: number, field = "row.difficulty") {
  return [{ query: { $expr: { $gt: [{ $getField: field }, { $literal: than }] as const } } }];
}

async function keptBy(request: EvalResultsRequest): Promise<number[]> {
  const engine = await engineOf(CALLS);
  const { rows } = await engine.queryEvalResults(PROJECT, {
    evaluation_call_ids: ["a", "b"],
    include_raw_data_rows: true,
    resolve_row_refs: true,
    ...request,
  });
  return rows.map(({ raw_data_row }) => (raw_data_row as { readonly q: number }).q).toSorted((x, y) => x - y);
}

const told = (
  values: readonly { readonly value: readonly unknown[]; readonly row_count: number }[] | undefined,
) =>
  values
    ?.map(({ value, row_count }) => ({ name: String(value[0]), rows: row_count }))
    .toSorted((x, y) => x.name.localeCompare(y.name));

describe(`the difficulty of a row (SEED=${SEED})`, () => {
  it("is what other finished evaluations make of it, in filters", async () => {
    const expected = QUESTIONS.filter((q) => (difficultyOf(q) ?? -1) > 0.45);
    expect(expected.length).toBeGreaterThan(5);
    expect(await keptBy({ filters: harder(0.45) })).toEqual(expected);
    expect(await keptBy({ filters: harder(0.45), difficulty_from: ["d"] })).toEqual(
      QUESTIONS.filter((q) => (difficultyOf(q, ["d"]) ?? -1) > 0.45),
    );
    const ofPoints = QUESTIONS.filter((q) => 0.25 + (difficultyOf(q) ?? -1) / 2 > 0.45);
    expect(await keptBy({ filters: harder(0.45, "row.difficulty.judge.points") })).toEqual(ofPoints);
  });

  it("is none of a row that no other has", async () => {
    const from = { difficulty_from: ["e"] };
    const missing = QUESTIONS.filter((q) => difficultyOf(q, ["e"]) === undefined);
    expect(missing.length).toBe(5);
    const known = await keptBy({ ...from, filters: harder(-1) });
    expect(known).toEqual(QUESTIONS.filter((q) => !missing.includes(q)));
  });

  it("orders rows", async () => {
    const engine = await engineOf(CALLS);
    const { rows } = await engine.queryEvalResults(PROJECT, {
      evaluation_call_ids: ["a", "b"],
      include_raw_data_rows: true,
      resolve_row_refs: true,
      sort_by: [{ field: "row.difficulty", direction: "desc" }],
    });
    const found = rows.map(
      ({ raw_data_row }) => difficultyOf((raw_data_row as { readonly q: number }).q) ?? -1,
    );
    for (const [i, one] of found.entries()) expect(one).toBeLessThanOrEqual((found[i - 1] ?? 2) + 1e-12);
    expect(rows[0]?.evaluations[0]?.trials[0]?.scores).not.toHaveProperty("evalcube");
  });

  it("slices a summary and a comparison in five equal steps", async () => {
    const engine = await engineOf(CALLS);
    const counts = STEPS.map((name, step) => ({
      name,
      rows: QUESTIONS.filter((q) => stepOf(difficultyOf(q) ?? -1) === step).length,
    })).filter(({ rows }) => rows > 0);
    const { summary } = await engine.queryEvalResults(PROJECT, {
      evaluation_call_ids: ["a", "b"],
      include_summary: true,
      by: "row.difficulty",
    });
    expect(told(summary?.slicing?.values)).toEqual(counts);
    const compared = await engine.compareEvaluations(PROJECT, {
      baseline: "a",
      candidates: ["b"],
      scorers: ["ok"],
      by: "row.difficulty",
    });
    const slices = compared.comparisons[0]?.slices ?? [];
    expect(told(slices.map((one) => ({ value: one.value, row_count: one.n_common ?? 0 })))).toEqual(counts);
    for (const { value, baseline_mean: found } of slices) {
      const own = QUESTIONS.filter((q) => STEPS[stepOf(difficultyOf(q) ?? -1)] === value[0]);
      expect(found).toBeCloseTo(mean(own.map((q) => Number(VALUES["a"]?.[q]?.[0]))), 12);
    }
    const board = await engine.leaderboard(PROJECT, {
      evaluations: ["a", "b"],
      scorers: ["ok"],
      by: "row.difficulty",
    });
    expect(told(board.slicing?.values)).toEqual(counts);
  });

  it("does not depend on the evaluations that are asked for", async () => {
    const engine = await engineOf([...CALLS, call("x")]);
    const request = { include_rows: false, include_summary: true, by: "row.difficulty" } as const;
    const slicing = async (ids: string[], from: string[]) =>
      (
        await engine.queryEvalResults(PROJECT, {
          ...request,
          evaluation_call_ids: ids,
          difficulty_from: from,
        })
      ).summary?.slicing;
    expect(await slicing(["a"], ["c"])).toEqual(await slicing(["b"], ["c"]));
    expect(await slicing(["a"], ["d"])).not.toEqual(await slicing(["a"], ["c"]));
  });

  it("is refused from evaluations that are asked for, that have not finished, and in no score", async () => {
    const engine = await engineOf(CALLS);
    const ask = (request: EvalResultsRequest) =>
      refusal(
        engine.queryEvalResults(PROJECT, { evaluation_call_ids: ["a"], filters: harder(0.5), ...request }),
      );
    expect((await ask({ difficulty_from: ["c", "a"] })).message).toMatch(
      /^difficulty_from\[1\]: "?a"? is asked for itself/,
    );
    expect((await ask({ difficulty_from: ["running"] })).message).toMatch(/no evaluation that has finished/);
    expect((await ask({ difficulty_from: ["nobody"] })).message).toMatch(/no evaluation that has finished/);
    expect((await ask({ filters: harder(0, "row.difficulty.nope") })).message).toMatch(
      /there is no score "nope"/,
    );
    expect((await ask({ filters: harder(0, "row.ease") })).message).toMatch(/unknown field "row.ease"/);
    expect((await ask({ moved: { field: "row.difficulty" } })).message).toMatch(/same in every evaluation/);
  });
});
