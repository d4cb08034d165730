import { describe, expect, it } from "vitest";
import type { Usage } from "../../src/index.ts";
import { openEngine } from "../../src/index.ts";

const PROJECT = "acme/qa";
const PRICES = { bot: { input: 1e6, output: 1e7 } };

/** What a trial that tells this usage has: its tokens, and its cost at 1 an input and 10 an output token. */
async function told(...usages: readonly Usage[]) {
  await using engine = await openEngine();
  const { id } = await engine.evaluate(PROJECT, {
    name: "usage",
    model: "bot:v7",
    data: ["row"],
    task: (_row, { usage }) => {
      for (const one of usages) usage(one);
      return "answer";
    },
    scorers: { right: () => true },
  });
  const { rows } = await engine.queryEvalResults(PROJECT, { evaluation_call_ids: [id], prices: PRICES });
  const trial = rows[0]?.evaluations[0]?.trials[0];
  const calls = await engine.sql<{ usage: string | null }>(
    PROJECT,
    "select summary ->> 'usage' as usage from calls where op_name = 'Model.predict'",
  );
  const stored: unknown = JSON.parse(calls.toArray()[0]?.usage ?? "null");
  return { tokens: trial?.total_tokens, cost: trial?.total_cost, stored };
}

describe("usage of a trial", () => {
  it.each<[string, Usage, number]>([
    ["openai, chat", { prompt_tokens: 3, completion_tokens: 2, total_tokens: 6 }, 6],
    ["openai, responses", { input_tokens: 3, output_tokens: 2, total_tokens: 5 }, 5],
    ["@anthropic-ai/sdk", { input_tokens: 3, output_tokens: 2 }, 5],
    ["ai", { inputTokens: 3, outputTokens: 2, totalTokens: 7 }, 7],
    ["ai, of old", { promptTokens: 3, completionTokens: 2 }, 5],
  ])("is read as %s counts it, by itself or by model", async (_sdk, counts, tokens) => {
    for (const usage of [counts, { bot: counts }])
      expect(await told(usage)).toMatchObject({ tokens, cost: 23, stored: { bot: counts } });
  });

  it("is kept with all that was told, and is what the last call told", async () => {
    const counts = { inputTokens: 3, outputTokens: undefined, details: { cached: 1 } };
    expect(await told({ bot: { total_tokens: 9 } }, { bot: counts }, undefined, null)).toEqual({
      tokens: 3,
      cost: null,
      stored: { bot: { inputTokens: 3, details: { cached: 1 }, input_tokens: 3, total_tokens: 3 } },
    });
  });

  it("may be missing, or have nothing that is counted", async () => {
    expect(await told(undefined, null)).toMatchObject({ tokens: null, stored: null });
    expect(await told({ bot: undefined, other: null })).toMatchObject({ tokens: null, stored: {} });
    expect(await told({ total_tokens: -5 })).toMatchObject({ tokens: null });
    expect(await told({ total_tokens: -5, input_tokens: 3, output_tokens: -1 })).toMatchObject({ tokens: 3 });
    expect(await told({ bot: { cached: 3 } })).toMatchObject({
      tokens: null,
      stored: { bot: { cached: 3 } },
    });
  });

  it("that is none is refused by name", async () => {
    await using engine = await openEngine();
    await using run = engine.startEvaluation(PROJECT, { name: "usage", model: "bot" });
    const prediction = run.startPrediction({});
    const wrong: Usage = JSON.parse('{ "bot": [3] }') as Usage;
    expect(() => prediction.output("a", { usage: wrong })).toThrow(
      "details.usage.bot: must be counts of tokens by model, such as { total_tokens: 120 }",
    );
    await prediction.finish();
  });

  it("of a score is that of a model with the name of the scorer", async () => {
    await using engine = await openEngine();
    await using run = engine.startEvaluation(PROJECT, { name: "usage", model: "bot" });
    const prediction = run.startPrediction({});
    prediction.logScore("judge", 1, { usage: { input_tokens: 3, output_tokens: 2 } });
    await prediction.finish();
    const stored = await engine.sql<{ tokens: number }>(
      PROJECT,
      "select (summary -> 'usage' -> 'judge' ->> 'total_tokens')::double as tokens from calls where op_name = 'judge.score'",
    );
    expect(stored.toArray().map((one) => one.tokens)).toEqual([5]);
  });
});
