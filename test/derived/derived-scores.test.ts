import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine, type EvalResultsRequest } from "../../src/index.ts";
import { call, PROJECT, root, trial } from "../support/records.ts";
import { EVALUATIONS, expectNear, records, trials, valueOf } from "./scored-trials.ts";

let engine: Engine;

beforeAll(async () => {
  engine = await openEngine({ threads: 2 });
  await engine.ingestCalls(records);
});
afterAll(() => engine.close());

function ask(derived_scores: Record<string, string>, request: EvalResultsRequest = {}) {
  return engine.queryEvalResults(PROJECT, { evaluation_call_ids: EVALUATIONS, derived_scores, ...request });
}

const EXPRESSIONS = {
  total: "0.7 * judge.score + 0.3 * correct",
  keyed: `judge["my key"] / scores["a \\"quoted\\" \`key\`; --"]`,
  sparse_sum: "sparse + judge.score",
  either: "correct ? sparse : judge.score",
  lazy: "correct ? judge.score : 1 / 0",
  mixed_up: "mixed * 2",
  best: "max(judge.score, sparse, correct)",
  constant_where_scored: "judge.score * 0 + 1",
  branches: "true ? sparse : mixed",
  five: `sparse + judge.score + correct + judge["my key"] + mixed`,
  five_at_most: `correct ? judge.score : judge["my key"] > 1 ? sparse : mixed == 1 ? 7 : judge.score`,
  none_needed: `true ? 1 : sparse + judge.score + correct + judge["my key"] + mixed`,
  few_not_needed: "false ? sparse : 2",
} as const;

const TRUTHS = {
  good: "judge.score > 0.1 and correct",
  not_good: "not (judge.score > 0.1 and correct)",
  chosen: "sparse > 0.5 ? correct : judge.score < 0",
  same: "correct",
} as const;

describe("the summary of derived scores", () => {
  it.each(Object.entries(EXPRESSIONS))("has the mean of %s, as mathjs has it", async (name, expression) => {
    const { summary } = await ask({ [name]: expression }, { include_summary: true });
    for (const [i, id] of EVALUATIONS.entries()) {
      const numbers = trials
        .filter(({ evaluation }) => evaluation === id)
        .map((one) => valueOf(expression, one))
        .filter((value) => value !== null)
        .map(Number);
      const stats = summary?.evaluations[i]?.scorer_stats.find(({ scorer_key }) => scorer_key === name);
      expect(stats).toMatchObject({ path: null, value_type: "continuous", trial_count: numbers.length });
      expect(stats?.numeric_count).toBe(numbers.length);
      expectNear(stats?.numeric_mean, numbers);
      expect(stats?.pass_rate).toBeNull();
    }
  });

  it.each(Object.entries(TRUTHS))("counts the truths of %s", async (name, expression) => {
    const { summary } = await ask({ [name]: expression }, { include_summary: true });
    for (const [i, id] of EVALUATIONS.entries()) {
      const truths = trials
        .filter(({ evaluation }) => evaluation === id)
        .map((one) => valueOf(expression, one))
        .filter((value) => value !== null);
      const stats = summary?.evaluations[i]?.scorer_stats.find(({ scorer_key }) => scorer_key === name);
      expect(stats).toMatchObject({
        value_type: "binary",
        trial_count: truths.length,
        pass_known_count: truths.length,
        pass_true_count: truths.filter(Boolean).length,
      });
    }
  });

  it("leaves the statistics of stored scores as they are", async () => {
    const plain = await ask({}, { include_summary: true });
    const derived = await ask({ ...EXPRESSIONS, ...TRUTHS }, { include_summary: true });
    for (const [i, { scorer_stats }] of (derived.summary?.evaluations ?? []).entries()) {
      const names = Object.keys({ ...EXPRESSIONS, ...TRUTHS });
      const stored = scorer_stats.filter(
        ({ scorer_key }) => !names.includes(scorer_key) || scorer_key === "sparse",
      );
      expect(stored).toEqual(plain.summary?.evaluations[i]?.scorer_stats);
      expect(scorer_stats.length).toBe(stored.length + names.length);
    }
  });

  it("is the same to the last bit whatever the number of threads", async () => {
    const one = await openEngine({ threads: 1 });
    await one.ingestCalls(records.toReversed());
    const request = {
      evaluation_call_ids: EVALUATIONS,
      include_rows: false,
      include_summary: true,
      derived_scores: EXPRESSIONS,
    };
    const stats = async (from: Engine) =>
      (await from.queryEvalResults(PROJECT, request)).summary?.evaluations.map(
        ({ scorer_stats }) => scorer_stats,
      );
    expect(await stats(one)).toEqual(await stats(engine));
    await one.close();
  });
});

/** Means over the trials of each row, of all evaluations or one. */
function rowMeans(expression: string, evaluation?: string): Map<number, number> {
  const groups = new Map<number, number[]>();
  for (const one of trials) {
    const value = valueOf(expression, one);
    if (value === null || (evaluation !== undefined && one.evaluation !== evaluation)) continue;
    groups.set(one.row.q, [...(groups.get(one.row.q) ?? []), Number(value)]);
  }
  return new Map([...groups].map(([q, list]) => [q, list.reduce((a, b) => a + b, 0) / list.length]));
}

const questions = (rows: readonly { readonly raw_data_row: unknown }[]) =>
  rows.map(({ raw_data_row }) => (raw_data_row as { q: number }).q);

describe("rows by derived scores", () => {
  it("sort by the mean over their trials", async () => {
    const { rows } = await ask(EXPRESSIONS, {
      include_raw_data_rows: true,
      sort_by: [{ field: "scores.total", direction: "desc" }],
    });
    const means = rowMeans(EXPRESSIONS.total);
    const order = questions(rows).map((q) => means.get(q) ?? Number.NaN);
    expect(order).toEqual(order.toSorted((a, b) => b - a));
    expect(new Set(order).size).toBeGreaterThan(5);
  });

  it("sort by how far the evaluations lie apart", async () => {
    const { rows } = await ask(EXPRESSIONS, {
      include_raw_data_rows: true,
      sort_by: [{ field: "scores.total", direction: "desc", mode: "difference" }],
    });
    const [e, f] = EVALUATIONS.map((id) => rowMeans(EXPRESSIONS.total, id));
    const order = questions(rows).map((q) => Math.abs((e?.get(q) ?? Number.NaN) - (f?.get(q) ?? Number.NaN)));
    expect(order).toEqual(order.toSorted((a, b) => b - a));
  });

  it.each([
    ["any", 0.25],
    ["all", -3],
    ["mean", 0.25],
    ["first", 0.25],
  ] as const)("are kept by the %s quantifier", async (quantifier, least) => {
    const { rows } = await ask(EXPRESSIONS, {
      include_raw_data_rows: true,
      filters: [
        { quantifier, query: { $expr: { $gt: [{ $getField: "scores.either" }, { $literal: least }] } } },
      ],
    });
    const kept = [...new Set(trials.map(({ row }) => row.q))].filter((q) => {
      const own = trials
        .filter(({ row }) => row.q === q)
        .toSorted((a, b) => (a.evaluation + a.id < b.evaluation + b.id ? -1 : 1))
        .map((one) => valueOf(EXPRESSIONS.either, one));
      const known = own.filter((value) => value !== null).map(Number);
      if (quantifier === "any") return known.some((value) => value > least);
      if (quantifier === "all") return own.every((value) => value !== null && Number(value) > least);
      if (quantifier === "first") return Number(own[0] ?? -9) > least;
      return known.reduce((a, b) => a + b, 0) / known.length > least;
    });
    expect(questions(rows).toSorted((a, b) => a - b)).toEqual(kept.toSorted((a, b) => a - b));
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.length).toBeLessThan(17);
  });

  it("are kept by a derived truth, beside stored scores", async () => {
    const { total_rows } = await ask(
      { ...TRUTHS },
      {
        filters: [
          {
            query: {
              $expr: {
                $and: [
                  { $eq: [{ $getField: "scores.good" }, { $literal: true }] },
                  { $lt: [{ $getField: "scores.judge.score" }, { $literal: 1 }] },
                ],
              },
            },
          },
        ],
      },
    );
    const kept = trials.filter(
      (one) => valueOf(TRUTHS.good, one) === true && Number(one.scores.judge.score) < 1,
    );
    expect(total_rows).toBe(new Set(kept.map(({ row }) => row.q)).size);
  });
});

describe("the trials of a row", () => {
  it("show derived scores beside the stored ones, where they have a value", async () => {
    const all = { ...EXPRESSIONS, ...TRUTHS };
    const { rows } = await ask(all);
    const shown = rows.flatMap((one) => one.evaluations.flatMap((evaluation) => evaluation.trials));
    expect(shown.length).toBe(trials.length);
    for (const { predict_and_score_call_id: id, scores } of shown) {
      const stored = trials.find((one) => one.id === id);
      if (stored === undefined) throw new Error(`no trial ${id}`);
      const derived = Object.entries(all).flatMap(([name, expression]) => {
        const value = valueOf(expression, stored);
        return value === null ? [] : [[name, name in TRUTHS ? value : Number(value)] as const];
      });
      expect(scores).toEqual({ ...stored.scores, ...Object.fromEntries(derived) });
    }
  });
});

it("has late scores among its operands only where children count", async () => {
  const other = await openEngine({ threads: 1 });
  await other.ingestCalls([
    root("e"),
    trial("t", { q: 1 }, { own: 0.5 }),
    call("s", { parent_id: "t", op_name: "late.score", attributes: { svc: { score: true } }, output: 2 }),
  ]);
  const request = { evaluation_call_ids: ["e"], derived_scores: { sum: "own + late", same: "own" } };
  const shown = async (include_predict_and_score_children: boolean) => {
    const { rows } = await other.queryEvalResults(PROJECT, {
      ...request,
      include_predict_and_score_children,
    });
    return rows[0]?.evaluations[0]?.trials[0]?.scores;
  };
  expect(await shown(true)).toEqual({ own: 0.5, late: 2, sum: 2.5, same: 0.5 });
  expect(await shown(false)).toEqual({ own: 0.5, same: 0.5 });
  await other.close();
});
