import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine, type LeaderboardRequest, type PriceList } from "../../src/index.ts";
import { call, PROJECT, root, trial } from "../support/records.ts";

const PRICES: PriceList = {
  small: { input: 2, output: 10 },
  'odd"/~name': { input: 1, output: 1 },
};

/** An evaluation whose trials have these summaries: on the predict call, or on the trial where `own` is set. */
function used(id: string, summaries: readonly object[], own = false): object[] {
  return [
    root(id),
    ...summaries.flatMap((summary, i) => {
      const trialId = `${id}-${i}`;
      const others = { parent_id: id, ...(own ? { summary } : {}) };
      const predict = call(`${trialId}-predict`, {
        op_name: "model.predict",
        parent_id: trialId,
        started_at: "2026-01-01T00:00:00Z",
        ended_at: `2026-01-01T00:00:0${i + 1}Z`,
        summary,
      });
      return [trial(trialId, { i }, { ok: true }, others), ...(own ? [] : [predict])];
    }),
  ];
}

function usage(model: string, members: object): object {
  return { usage: { [model]: members } };
}

describe("the costs of a leaderboard", () => {
  let engine: Engine;

  async function costOf(id: string, request: LeaderboardRequest = { prices: PRICES }) {
    const { entries, warnings } = await engine.leaderboard(PROJECT, { evaluations: [id], ...request });
    return { cost: entries[0]?.cost, warnings };
  }

  beforeAll(async () => {
    engine = await openEngine();
    const tokens = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 };
    await engine.ingestCalls([
      ...used("priced", [usage("small", tokens), usage("small", { input_tokens: 10, output_tokens: 0 })]),
      ...used("own", [usage("small", tokens)], true),
      ...used("odd", [usage('odd"/~name', { prompt_tokens: 3, completion_tokens: 4 })]),
      ...used("strange", [usage("small", tokens), usage("big", tokens)]),
      ...used("both", [{ usage: { small: tokens, big: tokens } }]),
      ...used("unsplit", [usage("small", { total_tokens: 1100 })]),
      ...used("silent", [{}, usage("small", { ...tokens, prompt_tokens: "1000" })]),
      ...used("carried", [
        usage("big", { ...tokens, cost: 0.25 }),
        usage("small", { ...tokens, total_cost: 0.5 }),
        {
          ...usage("small", { ...tokens, cost: 9 }),
          weave: { costs: { small: { prompt_tokens_total_cost: 0.5, completion_tokens_total_cost: 0.25 } } },
        },
        usage("small", { cost: -0.5, total_cost: 0 }),
        { weave: { costs: { other: { completion_tokens_total_cost: 1e-7 } } } },
      ]),
      root("stated"),
      trial(
        "stated-0",
        {},
        { ok: true },
        {
          parent_id: "stated",
          output: { output: "", scores: { ok: true }, cost_usd: 0.125 },
          summary: usage("small", { ...tokens, cost: 9 }),
        },
      ),
      ...used(
        "tenths",
        Array.from({ length: 9 }, () => usage("small", { cost: 0.1 })),
      ),
    ]);
  });
  afterAll(() => engine.close());

  it("are tokens of the predict call times prices per million", async () => {
    const total = (1000 * 2 + 100 * 10) / 1e6 + (10 * 2) / 1e6;
    expect(await costOf("priced")).toEqual({
      cost: { total, trial_count: 2, carried_count: 0 },
      warnings: [],
    });
  });

  it("come from the trial itself where it has no predict call", async () => {
    expect((await costOf("own")).cost).toMatchObject({ total: 0.003, trial_count: 1 });
    expect(
      (await costOf("priced", { prices: PRICES, include_predict_and_score_children: false })).cost,
    ).toEqual({
      total: null,
      trial_count: 0,
      carried_count: 0,
    });
  });

  it("are found under any name of a model", async () => {
    expect((await costOf("odd")).cost).toMatchObject({ total: 7e-6, trial_count: 1 });
  });

  it("are missing and told, never 0, where a model has no price", async () => {
    const warnings = ['no price for the model "big": 1 trial has no cost'];
    expect(await costOf("strange")).toEqual({
      cost: { total: 0.003, trial_count: 1, carried_count: 0 },
      warnings,
    });
    expect(await costOf("both")).toEqual({
      cost: { total: null, trial_count: 0, carried_count: 0 },
      warnings,
    });
  });

  it("are missing and told where a call does not tell input from output tokens", async () => {
    const what = '"small" has a price, but its calls tell no input and output tokens';
    expect(await costOf("unsplit")).toMatchObject({
      cost: { total: null },
      warnings: [`${what}: 1 trial has no cost`],
    });
    expect(await costOf("silent")).toMatchObject({
      cost: { total: null, trial_count: 0 },
      warnings: [`${what}: 1 trial has no cost`],
    });
  });

  it("that calls carry count before prices", async () => {
    expect(await costOf("carried")).toEqual({
      cost: { total: 0.25 + 0.5 + 0.75 + 1e-7, trial_count: 5, carried_count: 5 },
      warnings: [
        '"carried", cost: one of 5 rows has 48% of the sum of squares around the mean, whose interval may be too narrow',
      ],
    });
    expect(await costOf("stated")).toMatchObject({ cost: { total: 0.125, carried_count: 1 } });
    expect(await costOf("carried", { costs: true })).toMatchObject({ cost: { trial_count: 5 } });
  });

  it("add up without the rounding of doubles", async () => {
    expect((await costOf("tenths", { costs: true })).cost).toMatchObject({ total: 0.9, trial_count: 9 });
  });

  it("are not read unless they are asked for", async () => {
    expect((await costOf("carried", {})).cost).toBeNull();
    expect((await costOf("carried", { prices: PRICES, costs: false })).cost).toBeNull();
  });

  it("order the entries, those without one last", async () => {
    const { entries } = await engine.leaderboard(PROJECT, {
      evaluations: ["priced", "unsplit", "carried"],
      prices: PRICES,
      sort_by: [{ field: "cost", direction: "desc" }],
    });
    expect(entries.map((entry) => entry.evaluation_call_id)).toEqual(["carried", "priced", "unsplit"]);
  });

  it("stand beside tokens and the median latency, each with its number of trials", async () => {
    const { entries } = await engine.leaderboard(PROJECT, { evaluations: ["priced", "silent"] });
    const [priced, silent] = entries;
    expect(priced).toMatchObject({
      tokens: { total: 1100, trial_count: 1 },
      latency: { p50_seconds: 1.5, trial_count: 2 },
    });
    expect(silent).toMatchObject({ tokens: { total: 1100, trial_count: 1 } });
  });
});
