import { describe, expect, it } from "vitest";
import { demoCalls } from "../../src/demo/calls.ts";
import { supportCalls } from "../../src/demo/support.ts";

const calls = [...demoCalls()];
const roots = calls.filter((call) => call.parent_id === null);
const trials = calls.filter((call) => call.op_name === "Evaluation.predict_and_score");

describe("calls of the demo", () => {
  it("are one root an evaluation and one call a trial", () => {
    expect(roots).toHaveLength(15);
    expect(trials).toHaveLength(200 + 13 * 1319 + 681);
    expect(calls).toHaveLength(roots.length + trials.length);
  });

  it("have ids of their own and the same at each run", () => {
    expect(new Set(calls.map((call) => `${call.project_id} ${call.id}`)).size).toBe(calls.length);
    expect([...demoCalls()]).toEqual(calls);
  });

  it("hang every trial below the root of its evaluation", () => {
    const ids = new Set(roots.map((root) => root.id));
    expect(trials.every(({ parent_id: parent }) => parent != null && ids.has(parent))).toBe(true);
  });

  it("give each trial an inline row and scores, and no text", () => {
    const trial = trials.find((call) => call.id === "gsm-gpt-4o-2024-08-06-17");
    expect(trial?.inputs).toMatchObject({ example: { question: 17 } });
    expect(trial?.output).toEqual({
      output: null,
      scores: { answered: true, correct: true },
      model_latency: null,
    });
  });

  it("name source, commit and licence in every root", () => {
    for (const root of roots) {
      expect(root.attributes).toMatchObject({
        source: {
          licence: expect.stringMatching(/^(MIT|Apache-2.0)$/),
          commit: expect.stringMatching(/^[0-9a-f]{40}$/),
        },
      });
    }
  });
});

describe("calls of the assistant of a shop", () => {
  const own = [...supportCalls()];
  const runs = own.filter(({ op_name }) => op_name === "Evaluation.evaluate");
  const asked = own.filter(({ op_name }) => op_name === "Evaluation.predict_and_score");
  const rowsOf = (run: string | undefined) =>
    asked.filter(({ parent_id }) => parent_id === run).map((one) => (one.inputs as { example: Row }).example);
  const kinds = (run: string | undefined) =>
    new Set(asked.flatMap((one) => (one.parent_id === run ? (one.exception?.split(":")[0] ?? []) : [])));
  interface Row {
    readonly question: string;
    readonly topic: string;
    readonly reference: string;
  }

  it("are runs of one name with commits, over 100 rows or more of four topics or more", () => {
    expect(runs.length).toBeGreaterThanOrEqual(4);
    expect(new Set(runs.map(({ display_name }) => display_name))).toEqual(new Set(["support"]));
    for (const { attributes } of runs)
      expect(attributes).toMatchObject({ commit: expect.stringMatching(/^[0-9a-f]{40}$/), branch: "main" });
    const [first] = runs;
    const rows = rowsOf(first?.id);
    expect(rows.length).toBeGreaterThanOrEqual(100);
    expect(new Set(rows.map(({ topic }) => topic)).size).toBeGreaterThanOrEqual(4);
    expect(new Set(rows.map(({ question }) => question)).size).toBe(rows.length);
    for (const row of rows) expect(row.reference).not.toBe("");
    for (const run of runs) expect(rowsOf(run.id)).toEqual(rows);
  });

  it("got worse in one topic alone, with errors of two kinds, in the last run", () => {
    const rates = runs.slice(-2).map(({ id }) => {
      const scored = asked.filter((one) => one.parent_id === id && one.exception == null);
      const rate = (in_: boolean) => {
        const rows = scored.filter(
          (one) => ((one.inputs as { example: Row }).example.topic === "returns") === in_,
        );
        const right = rows.filter((one) => (one.output as { scores: { correct: boolean } }).scores.correct);
        return right.length / rows.length;
      };
      return [rate(true), rate(false)] as const;
    });
    const [before, after] = rates;
    expect((before?.[0] ?? 0) - (after?.[0] ?? 0)).toBeGreaterThan(0.4);
    expect(Math.abs((before?.[1] ?? 0) - (after?.[1] ?? 0))).toBeLessThan(0.05);
    expect(kinds(runs.at(-1)?.id)).toEqual(new Set(["RateLimitError", "TimeoutError"]));
    expect(kinds(runs.at(-2)?.id)).toEqual(new Set());
  });

  it("have answers of several lines, chats with tool calls, and usage", () => {
    const outputs = own.filter(({ op_name, exception }) => op_name === "Model.predict" && exception == null);
    expect(outputs.every(({ summary }) => JSON.stringify(summary).includes("total_tokens"))).toBe(true);
    const texts = outputs.map(({ output }) => output).filter((one) => typeof one === "string");
    expect(texts.filter((one) => one.includes("\n")).length).toBeGreaterThan(texts.length / 2);
    expect(outputs.some(({ output }) => JSON.stringify(output).includes("tool_calls"))).toBe(true);
    expect([...supportCalls()]).toEqual(own);
  });
});
