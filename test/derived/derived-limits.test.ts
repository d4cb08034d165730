import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine, type EvalResultsRequest } from "../../src/index.ts";
import { PROJECT } from "../support/records.ts";
import { refusal } from "../support/refusal.ts";
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

describe("a derived score without meaning", () => {
  it.each([
    ["total", "judg.score", "at character 1: there is no score judg.score; this project has"],
    [
      "total",
      "1 + judge",
      `at character 5: judge is an object; below it are judge.score, judge.tone, judge["my key"]`,
    ],
    ["total", "2 * judge.tone", "at character 5: judge.tone is text, no number or boolean"],
    ["total", "list", "at character 1: list is never a number or boolean"],
    ["correct", "judge.score", `the name "correct" is taken by a scorer of this project`],
    ["judge", "correct", `the name "judge" is taken by a scorer of this project`],
    ["feedback", "correct", `the name "feedback" is taken`],
    ["total", "other + 1", "at character 1: other is a derived score itself"],
  ])("is refused: %s = %s", async (name, expression, message) => {
    const error = await refusal(ask({ [name]: expression, other: "correct" }));
    expect(error).toMatchObject({ code: "unsupported_request", path: ["derived_scores", name] });
    expect(error.message).toContain(message);
  });

  it("is refused for its shape", async () => {
    const list = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`d${i}`, "correct"]));
    expect(await refusal(ask(list))).toMatchObject({ code: "invalid_request", path: ["derived_scores"] });
    const long = Object.fromEntries(
      Array.from({ length: 20 }, (_, i) => [`d${i}`, "correct + ".repeat(60) + "1"]),
    );
    expect(await refusal(ask(long))).toMatchObject({ code: "invalid_request", path: ["derived_scores"] });
    expect(await refusal(ask({ "": "correct" }))).toMatchObject({ code: "invalid_request" });
    const prototype = JSON.parse(`{"__proto__": "correct"}`) as Record<string, string>;
    expect(await refusal(ask(prototype))).toMatchObject({ path: ["derived_scores", "__proto__"] });
  });

  it("is refused for its syntax in a project that holds nothing", async () => {
    const request = { evaluation_call_ids: ["e"], derived_scores: { total: "1 +" } };
    expect((await refusal(engine.queryEvalResults("acme/none", request))).message).toContain(
      "at character 4",
    );
  });
});

describe("large expressions", () => {
  it.each([
    ["a sum of 140 terms", Array.from({ length: 140 }, (_, i) => `${i} * judge.score`).join(" + ")],
    ["a minimum in a minimum, 49 deep", `${"min(judge.score, ".repeat(49)}correct${")".repeat(49)}`],
    ["conditions within conditions", `${"correct ? judge.score : ".repeat(100)}1`],
    ["roundings of roundings", `${"floor(0.5 + ".repeat(49)}judge.score${")".repeat(49)}`],
    ["remainders of remainders", `${"(".repeat(49)}judge.score${" % 7 + 0.1)".repeat(49)}`],
  ])("are computed: %s", async (_, expression) => {
    const { summary } = await ask({ total: expression }, { include_summary: true, include_rows: false });
    const numbers = trials
      .filter(({ evaluation }) => evaluation === "e")
      .map((one) => Number(valueOf(expression, one)));
    const mean = summary?.evaluations[0]?.scorer_stats.find(
      ({ scorer_key }) => scorer_key === "total",
    )?.numeric_mean;
    expect(numbers.length).toBe(30);
    expectNear(mean, numbers);
  });
});
