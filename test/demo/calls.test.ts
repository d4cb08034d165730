import { describe, expect, it } from "vitest";
import { demoCalls } from "../../src/demo/calls.ts";

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
    expect(trials.every((trial) => trial.parent_id !== null && ids.has(trial.parent_id))).toBe(true);
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
