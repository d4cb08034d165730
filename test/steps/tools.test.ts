import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/model/steps.ts";
import { toolsAnswer } from "../../src/respond/steps/tools-answer.ts";
import { addCall, addTrial, emptyTally, type TriedTrial } from "../../src/respond/steps/tools.ts";
import { seededRandom } from "../../src/stats/numeric/random.ts";
import { sum } from "../../src/stats/numeric/sum.ts";

const SEED = Number(process.env["SEED"] ?? 42);

type CallOfTool = Parameters<typeof addCall>[1];

interface MadeStep extends CallOfTool {
  readonly operation: Operation;
}

function step(name: string, more: Partial<MadeStep> = {}): MadeStep {
  const none = { operation: "execute_tool", isRepeated: false, failed: false, errorType: null } as const;
  return { ...none, name, microseconds: null, ...more };
}

interface MadeTrial extends TriedTrial {
  readonly steps: readonly MadeStep[];
}

function trial(rowDigest: string, passed: boolean | null, ...steps: readonly MadeStep[]): MadeTrial {
  return { rowDigest, passed, steps };
}

const PAGE = { success: "correct", confidence: 0.95, adjust: "holm", limit: 200, offset: 0 } as const;

async function answerOf(
  runs: readonly (readonly MadeTrial[])[],
  options: Partial<typeof PAGE> | object = {},
) {
  const evaluations = [];
  for (const [i, trials] of runs.entries()) {
    const tally = emptyTally();
    for (const one of trials) {
      for (const made of one.steps) if (made.operation === "execute_tool") addCall(tally, made);
      addTrial(tally, one, one.steps.filter(({ operation }) => operation === "chat").length);
    }
    evaluations.push({ id: `e${i}`, label: `run ${i}`, tally });
  }
  return toolsAnswer(evaluations, { ...PAGE, ...options }, undefined);
}

const failed = { failed: true, errorType: "Timeout" };

const rounded = (value: unknown) =>
  JSON.stringify(value, (_, one: unknown) => (typeof one === "number" ? Number(one.toPrecision(9)) : one));

describe(`the table of tools (SEED=${SEED})`, () => {
  it("counts calls, errors, repeats and seconds of each tool, and steps of all", async () => {
    const { evaluations } = await answerOf([
      [
        trial(
          "r1",
          true,
          step("", { operation: "chat" }),
          step("search", { microseconds: 1e5 }),
          step("search", { isRepeated: true, microseconds: 2e5, ...failed }),
          step("search", { failed: null }),
          step("buy", { failed: null }),
        ),
        trial("r1", false, step("search")),
        trial("r2", null),
      ],
    ]);
    const { tools, ...totals } = evaluations[0] ?? { tools: [] };
    expect(totals).toEqual({
      evaluation_call_id: "e0",
      label: "run 0",
      trial_count: 3,
      trials_with_steps: 2,
      chats: 1,
      tool_calls: 5,
      tool_errors: 1,
      repeats: 1,
      tool_count: 2,
    });
    expect(tools).toMatchObject([
      {
        name: "search",
        calls: 4,
        known_calls: 3,
        errors: 1,
        error_rate: 1 / 3,
        repeats: 1,
        mean_seconds: 0.15,
        trials: 2,
        rows: 1,
        with_error: { trials: 1, passed: 1, failed: 0, rate: 1 },
        without_error: { trials: 1, passed: 0, failed: 1, rate: 0 },
        within_rows: { rows: 1, difference: 1 },
        error_types: [{ text: "Timeout", count: 1 }],
      },
      // Whether the one call failed is unknown, so the trial is of neither kind.
      {
        name: "buy",
        known_calls: 0,
        errors: null,
        error_rate: null,
        mean_seconds: null,
        with_error: { trials: 0, passed: 0, failed: 0, rate: null },
        without_error: { trials: 0, passed: 0, failed: 0, rate: null },
        difference: null,
        within_rows: { rows: 0, difference: null },
      },
    ]);
  });

  it("knows no errors where a source says none, and none where no tool was called", async () => {
    const { evaluations } = await answerOf([
      [trial("r1", true, step("search", { failed: null }))],
      [trial("r1", true, step("", { operation: "chat" }))],
    ]);
    expect(evaluations.map(({ tool_errors: errors }) => errors)).toEqual([null, 0]);
  });

  it("is in the order of errors, unknown ones last, then of calls and names, and pages each evaluation", async () => {
    const run = [
      trial("r1", true, step("unknown", { failed: null }), step("b"), step("a"), step("c"), step("c")),
      trial("r2", true, step("worst", failed), step("\u{1f600}"), step("\uffff")),
    ];
    const all = (await answerOf([run, run])).evaluations.map(({ tools }) => tools.map(({ name }) => name));
    // By code units, where an emoji stands before U+FFFF.
    const names = ["worst", "c", "a", "b", "\u{1f600}", "\uffff", "unknown"];
    expect(all).toEqual([names, names]);
    const page = await answerOf([run, run], { limit: 2, offset: 1 });
    expect(page.evaluations.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
      names.slice(1, 3),
      names.slice(1, 3),
    ]);
    expect(page.evaluations[0]?.tool_count).toBe(7);
  });

  it("tells ten error types of a tool, those of most calls first", async () => {
    const steps = Array.from({ length: 12 }, (_, i) =>
      Array.from({ length: i < 2 ? 3 : 1 }, () => step("t", { failed: true, errorType: `e${11 - i}` })),
    ).flat();
    const types = (await answerOf([[trial("r", false, ...steps)]])).evaluations[0]?.tools[0]?.error_types;
    expect(types?.map(({ text }) => text)).toEqual([
      "e10",
      "e11",
      "e0",
      "e1",
      "e2",
      "e3",
      "e4",
      "e5",
      "e6",
      "e7",
    ]);
  });

  it("adjusts p values over all tools of all evaluations, whatever the page", async () => {
    const random = seededRandom(SEED);
    const run = (bad: number) =>
      Array.from({ length: 120 }, (_, i) => {
        const isFailed = random() < 0.4;
        const isOther = random() < 0.4;
        const passed = random() < (isFailed ? 0.7 - bad : 0.7);
        const other = step("other", isOther ? failed : {});
        return trial(`r${i % 40}`, passed, step("search", isFailed ? failed : {}), other);
      });
    const runs = [run(0.5), run(0)];
    const whole = await answerOf(runs);
    const tools = whole.evaluations.flatMap((one) => one.tools);
    expect(whole.family_size).toBe(4);
    const p = tools.map(({ p_value: own }) => own ?? 2);
    const ascending = p.toSorted((a, b) => a - b);
    const holm = p.map((own) =>
      Math.min(1, Math.max(...ascending.slice(0, ascending.indexOf(own) + 1).map((one, i) => (4 - i) * one))),
    );
    expect(tools.map(({ p_value_adjusted: own }) => own)).toEqual(holm);
    expect(tools.map(({ association }) => association)).toEqual(
      tools.map(({ difference }, i) =>
        (holm[i] ?? 1) > 1 - 0.95 ? "not_shown" : (difference ?? 0) < 0 ? "lower" : "higher",
      ),
    );
    expect(tools.some(({ association, name }) => association === "lower" && name === "search")).toBe(true);
    const page = await answerOf(runs, { limit: 1 });
    expect(page.evaluations.map((one) => one.tools[0])).toEqual(whole.evaluations.map((one) => one.tools[0]));
    const plain = await answerOf(runs, { adjust: "none" });
    expect(plain.evaluations.flatMap((one) => one.tools.map((tool) => tool.p_value_adjusted))).toEqual(p);
  });

  it("does not depend on the order of trials", async () => {
    const random = seededRandom(SEED);
    const trials = Array.from({ length: 200 }, (_, i) => {
      const calls = Array.from({ length: Math.floor(random() * 4) }, () =>
        step(random() < 0.5 ? "a" : "b", {
          microseconds: Math.floor(random() * 1e6),
          ...(random() < 0.3 ? failed : {}),
        }),
      );
      return trial(`r${i % 17}`, random() < 0.5, ...calls);
    });
    const shuffled = trials.map((one) => ({ one, at: random() })).toSorted((a, b) => a.at - b.at);
    const [first, second] = [await answerOf([trials]), await answerOf([shuffled.map(({ one }) => one)])];
    expect(rounded(first)).toBe(rounded(second));
    const calls = sum(trials.map(({ steps }) => steps.length));
    expect(first.evaluations[0]?.tool_calls).toBe(calls);
  });
});
