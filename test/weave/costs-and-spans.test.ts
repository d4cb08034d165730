import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine, type EvalResultsRequest } from "../../src/index.ts";
import { recordDatabase } from "../support/record-database.ts";

const PROJECT = "acme/qa";
const PRICES = { a: { input: 1e6, output: 2e6 } };

let engine: Engine;

const call = (id: string, parent_id: string | null, op_name: string, more: object = {}) => ({
  project_id: PROJECT,
  id,
  parent_id,
  op_name,
  trace_id: "trace",
  started_at: "2026-01-01T00:00:00Z",
  ended_at: "2026-01-01T00:00:01Z",
  ...more,
});

const trial = (id: string, more: object = {}) =>
  call(id, "e", "Evaluation.predict_and_score", {
    inputs: { example: id, model: "m" },
    output: { output: 1, scores: { a: true } },
    ...more,
  });

beforeAll(async () => {
  engine = await openEngine(await recordDatabase());
  await engine.ingestCalls([
    call("e", null, "Evaluation.evaluate"),
    trial("several", {
      summary: { usage: { a: { cost: 9, total_tokens: 1 } } },
      attributes: { svc: { genai_span_ref: { trace_id: "own", span_id: "own" } } },
    }),
    call("p", "several", "predict", {
      summary: {
        usage: {
          a: { total_tokens: 3, prompt_tokens: 2, completion_tokens: 1 },
          b: { cost: 0.5, total_tokens: 2 },
        },
        costs: { c: { cache_read_input_tokens_total_cost: 0.25, prompt_tokens_total_cost: "1" } },
        weave: { costs: { b: { cache_creation_input_tokens_total_cost: 0.125 } } },
        svc: { genai_span_ref: "no reference" },
      },
      attributes: {
        weave: {
          genai_span_ref: [
            { trace_id: "T", span_id: "S", other: 1 },
            { trace_id: "T", span_id: "S" },
            { trace_id: "T", span_id: "" },
            { trace_id: "T", span_id: "S2" },
          ],
        },
      },
    }),
    trial("stated", {
      output: { output: 1, scores: {}, cost_usd: 7 },
      summary: { usage: { a: { cost: 1 } } },
    }),
    trial("nothing", { summary: { weave: { genai_span_ref: [{ trace_id: "x", span_id: "y" }] } } }),
    trial("null", { summary: { usage: { b: null } } }),
    trial("tiny", { summary: { usage: { z: { cost: 1e-15 } } } }),
  ]);
});

afterAll(async () => {
  await engine.close();
});

async function asked(request: EvalResultsRequest) {
  const answer = await engine.queryEvalResults(PROJECT, { evaluation_call_ids: ["e"], ...request });
  const trials = answer.rows.flatMap(({ evaluations }) => evaluations.flatMap((one) => one.trials));
  return { ...answer, trials: new Map(trials.map((one) => [one.predict_and_score_call_id, one])) };
}

async function costs(request: EvalResultsRequest) {
  const { trials, warnings } = await asked(request);
  return {
    costs: Object.fromEntries([...trials].map(([id, { total_cost }]) => [id, total_cost])),
    warnings,
  };
}

const NONE = { several: null, stated: null, nothing: null, null: null, tiny: null };

describe("the cost of a trial", () => {
  it("is null unless it is asked for", async () => {
    expect(await costs({})).toEqual({ costs: NONE, warnings: [] });
    expect((await costs({ include_costs: false })).costs).toEqual(NONE);
  });

  it("is what its predict call states or uses, of every model, and never a part of that", async () => {
    expect(await costs({ include_costs: true })).toEqual({
      costs: { ...NONE, stated: 7, tiny: 1e-15 },
      warnings: [
        'no price for the model "a": 1 trial has no cost',
        'no price for the model "b": 1 trial has no cost',
      ],
    });
    expect((await costs({ prices: PRICES })).costs).toMatchObject({
      several: 2 * 1 + 1 * 2 + 0.125 + 0.25,
      stated: 7,
      null: null,
    });
    const own = { include_costs: true, include_predict_and_score_children: false };
    expect((await costs(own)).costs).toMatchObject({ several: 9, stated: 7 });
  });

  it("adds up in the summary, in the leaderboard and in tables", async () => {
    const total = 2 * 1 + 1 * 2 + 0.125 + 0.25 + 7 + 1e-15;
    const { summary, warnings } = await asked({ prices: PRICES, include_summary: true });
    expect(summary?.evaluations[0]).toMatchObject({ predict_total_tokens: 5, predict_total_cost: total });
    expect(warnings).toHaveLength(1);
    const { entries } = await engine.leaderboard(PROJECT, { prices: PRICES });
    expect(entries[0]?.cost?.total).toBe(total);
    const table = await engine.queryTable(PROJECT, { evaluation_call_ids: ["e"], prices: PRICES });
    const names = table.schema.fields.map(({ name }) => name);
    expect(names.indexOf("total_cost")).toBe(names.indexOf("total_tokens") + 1);
    const column = names.indexOf("total_cost");
    const values = Array.from(table.getChildAt(column) ?? [], (one: unknown) => Number(one));
    expect(values.toSorted((a, b) => a - b)).toEqual([0, 0, 1e-15, 4.375, 7]);
    const plain = await engine.queryTable(PROJECT, { evaluation_call_ids: ["e"] });
    expect(plain.schema.fields.map(({ name }) => name)).not.toContain("total_cost");
  });

  it("is not in a summary that does not ask for it; tokens are", async () => {
    const { summary } = await asked({ include_summary: true, include_predict_and_score_children: false });
    expect(summary?.evaluations[0]).toMatchObject({ predict_total_tokens: 1, predict_total_cost: null });
    const none = await asked({ include_summary: true, search: "no row has this" });
    expect(none.summary?.evaluations[0]?.predict_total_tokens).toBeNull();
  });

  it("is a flag like the others: null is refused", async () => {
    await expect(asked({ include_costs: null } as unknown as EvalResultsRequest)).rejects.toMatchObject({
      kind: "schema",
      path: ["include_costs"],
    });
  });
});

describe("the spans of a trial", () => {
  it("are those that its predict call names, else its own call, each once", async () => {
    const { trials } = await asked({});
    expect(trials.get("several")?.genai_span_ref).toEqual([
      { span_id: "S", trace_id: "T" },
      { span_id: "S2", trace_id: "T" },
    ]);
    expect(trials.get("nothing")?.genai_span_ref).toEqual([{ span_id: "y", trace_id: "x" }]);
    expect(trials.get("stated")?.genai_span_ref).toBeNull();
    const own = await asked({ include_predict_and_score_children: false });
    expect(own.trials.get("several")?.genai_span_ref).toEqual([{ span_id: "own", trace_id: "own" }]);
  });
});
