import { describe, expect, it } from "vitest";
import type { Engine, StepsRequest } from "../../src/index.ts";
import { PROJECT } from "../support/records.ts";
import { loaded } from "../support/score-runs.ts";
import { agentCalls, type Attempt } from "./agent-calls.ts";

const LOOP: Attempt["tools"] = [
  ["search", "a"],
  ["search", "a"],
  ["search", "a", "Timeout"],
];

const ATTEMPTS: readonly Attempt[] = [
  {
    id: "a1",
    of: "run",
    row: 1,
    passed: true,
    tools: [
      ["search", "a"],
      ["open", "a"],
      ["answer", "yes"],
    ],
  },
  { id: "a2", of: "run", row: 1, passed: false, tools: LOOP },
  {
    id: "a3",
    of: "run",
    row: 1,
    passed: false,
    tools: [
      ["search", "a"],
      ["open", "b", "NotFound"],
    ],
  },
  { id: "a4", of: "run", row: 2, passed: null, tools: [["open", "c", null]] },
  { id: "a5", of: "run", row: 2, passed: false, tools: [] },
  {
    id: "b1",
    of: "other",
    row: 1,
    passed: true,
    tools: [
      ["search", "a"],
      ["search", "a"],
      ["answer", "no"],
    ],
  },
];

const made = () => loaded(agentCalls(ATTEMPTS));

async function ask(engine: Engine, request: StepsRequest): Promise<unknown> {
  return engine.steps(PROJECT, request);
}

describe("what agents did", () => {
  it("is told tool by tool, of each evaluation", async () => {
    const engine = await made();
    expect(await ask(engine, { evaluation_call_ids: ["run", "other"], limit: 1 })).toMatchObject({
      view: "tools",
      success: "solved",
      confidence: 0.95,
      adjust: "holm",
      family_size: 0,
      warnings: [],
      evaluations: [
        {
          evaluation_call_id: "run",
          trial_count: 5,
          trials_with_steps: 4,
          chats: 9,
          tool_calls: 9,
          tool_errors: 2,
          repeats: 2,
          tool_count: 3,
          tools: [{ name: "search", calls: 5, known_calls: 5, errors: 1, error_rate: 0.2, mean_seconds: 1 }],
        },
        { evaluation_call_id: "other", tool_calls: 3, repeats: 1, tools: [{ name: "search", calls: 2 }] },
      ],
    });
  });

  it("is told step by step, of one trial", async () => {
    const engine = await made();
    const answer = await ask(engine, { view: "trial", trials: ["a2"], offset: 1, limit: 3 });
    expect(answer).toMatchObject({
      view: "trial",
      trial_id: "a2",
      evaluation_call_id: "run",
      success: "solved",
      passed: false,
      error: null,
      stop_reason: null,
      counts: {
        chats: 3,
        tools: 3,
        errors: 1,
        tool_errors: 1,
        repeats: 2,
        first_error: 6,
        input_tokens: 300,
        output_tokens: 30,
        cached_tokens: null,
        cost: null,
        seconds: 6,
      },
      step_count: 6,
      steps: [
        {
          step: 2,
          turn: 1,
          operation: "execute_tool",
          name: "search",
          repeat_of: null,
          depth: 1,
          call_id: "a2-tool-0",
        },
        {
          step: 3,
          turn: 2,
          operation: "chat",
          name: null,
          model: "agent-1",
          input: "do 1",
          output: "I call search",
        },
        {
          step: 4,
          turn: 2,
          repeat_of: 2,
          input: '{"argument":"a"}',
          output: '{"done":"a"}',
          parent_id: "a2-predict",
        },
      ],
    });
    const whole = await ask(engine, { view: "trial", trials: ["a2"], texts: true, offset: 1, limit: 1 });
    expect(whole).toMatchObject({ steps: [{ input: { argument: "a" }, output: { done: "a" } }] });
    const none = (await ask(engine, { view: "trial", trials: ["a2"], texts: false, limit: 1 })) as {
      readonly steps: readonly object[];
    };
    expect(Object.keys(none.steps[0] ?? {})).toEqual([
      ..."step turn operation name model started_at duration_seconds input_tokens output_tokens".split(" "),
      ..."cached_tokens cost finish_reason error_type action call_id parent_id repeat_of depth".split(" "),
    ]);
    const priced = await ask(engine, {
      view: "trial",
      trials: ["a2"],
      limit: 2,
      prices: { "agent-1": { input: 2, output: 10 } },
    });
    expect(priced).toMatchObject({ counts: { cost: 0.0009 }, steps: [{ cost: 0.0003 }, { cost: null }] });
    expect(await ask(engine, { view: "trial", trials: ["a5"] })).toMatchObject({
      step_count: 0,
      steps: [],
      counts: { chats: null, tools: null, errors: null, repeats: null, first_error: null, seconds: null },
    });
    expect(await ask(engine, { view: "trial", trials: ["a4"] })).toMatchObject({
      passed: null,
      counts: { errors: null, tool_errors: null, first_error: null },
    });
  });

  it("is told where failing attempts leave passing ones", async () => {
    const engine = await made();
    const own = await ask(engine, { view: "diff", evaluation_call_ids: ["run"] });
    expect(own).toMatchObject({
      view: "diff",
      success: "solved",
      pair_count: 2,
      totals: { rows: 1, trials: 2, identical: 0, median_index: 2 },
      pairs: [
        {
          trial_id: "a2",
          other_trial_id: "a1",
          actions: 3,
          other_actions: 3,
          common_actions: 1,
          common_names: 1,
          first_difference: { index: 2, step: 4, name: "search", other_step: 4, other_name: "open" },
        },
        { trial_id: "a3", common_actions: 1, common_names: 2 },
      ],
    });
    expect(await ask(engine, { view: "diff", evaluation_call_ids: ["run"], against: "other" })).toMatchObject(
      {
        pairs: [
          {
            trial_id: "a2",
            other_trial_id: "b1",
            common_actions: 2,
            first_difference: { other_name: "answer" },
          },
          { trial_id: "a3", other_trial_id: "b1", common_actions: 1 },
        ],
      },
    );
    const page = await ask(engine, { view: "diff", evaluation_call_ids: ["run"], limit: 1, offset: 1 });
    expect(page).toMatchObject({ pair_count: 2, totals: { trials: 2 }, pairs: [{ trial_id: "a3" }] });
  });

  it("is told of two and of three trials beside each other", async () => {
    const engine = await made();
    expect(await ask(engine, { view: "diff", trials: ["a2", "a1"] })).toMatchObject({
      trials: [
        { trial_id: "a2", passed: false, actions: 3 },
        { trial_id: "a1", passed: true, actions: 3 },
      ],
      common_actions: 1,
      common_names: 1,
      first_difference: { index: 2, name: "search", other_name: "open" },
      line_count: 5,
      lines: [
        { steps: [2, 2], same: true },
        { steps: [4, null], same: false },
        { steps: [6, null], same: false },
        { steps: [null, 4], same: false },
        { steps: [null, 6], same: false },
      ],
    });
    expect(
      await ask(engine, { view: "diff", trials: ["a1", "a2", "b1"], limit: 3, offset: 1 }),
    ).toMatchObject({
      common_actions: [1, 1],
      first_difference: [{ index: 2 }, { index: 2 }],
      line_count: 7,
      lines: [
        { steps: [4, null, null], same: false },
        { steps: [6, null, null], same: false },
        { steps: [null, 4, null], same: false },
      ],
    });
  });

  it("is of rows that filters keep, and of the score that is named", async () => {
    const engine = await made();
    const second = { query: { $expr: { $eq: [{ $getField: "inputs.row" }, { $literal: 2 }] } } } as const;
    expect(await ask(engine, { evaluation_call_ids: ["run"], filters: [second] })).toMatchObject({
      evaluations: [{ trial_count: 2, tool_calls: 1, tool_errors: null }],
    });
    await expect(ask(engine, { evaluation_call_ids: ["run"], success: "won" })).rejects.toThrow(
      'success: there is no score "won"',
    );
  });

  it.each<readonly [StepsRequest | object, string]>([
    [{}, "evaluation_call_ids: name evaluations"],
    [{ view: "trial" }, "trials: trial takes one trial"],
    [{ view: "trial", trials: ["a1", "a2"] }, "trials: trial takes one trial"],
    [{ view: "diff", trials: ["a1"] }, "trials: diff takes two or three trials"],
    [{ trials: ["a1"] }, "trials: tools are of evaluations"],
    [{ evaluation_call_ids: ["run"], against: "run" }, "against: is of diff, not of tools"],
    [{ view: "trial", trials: ["a1"], success: "solved" }, "success: is of tools and diff, not of trial"],
    [{ view: "diff", trials: ["a1", "a2"], filters: [] }, "filters: does not go together with trials"],
    [
      { view: "trial", trials: ["a1"], texts: true, limit: 51 },
      "limit: with whole texts it is at most 50, not 51",
    ],
    [{ evaluation_call_ids: ["run"], limit: 10_001 }, "limit"],
    [{ evaluation_call_ids: ["run"], confidence: 1 }, "confidence"],
    [{ evaluation_call_ids: ["run"], steps: 1 }, "steps"],
    [{ evaluation_call_ids: ["ran"] }, "ran"],
    [{ view: "trial", trials: ["zz"] }, "this project has no trial zz"],
    [{ view: "trial", trials: ["a1-tool-0"] }, "this project has no trial a1-tool-0"],
    [{ view: "trial", trials: ["a1"], evaluation_call_ids: ["other"] }, "this project has no trial a1"],
  ])("refuses %j", async (request, said) => {
    await expect(ask(await made(), request)).rejects.toThrow(said);
  });

  it("knows no success: tools have none, and what needs one is refused", async () => {
    const engine = await loaded(agentCalls(ATTEMPTS.map((one) => ({ ...one, passed: null }))));
    expect(await ask(engine, { evaluation_call_ids: ["run"] })).toMatchObject({
      success: null,
      evaluations: [{ tools: [{ with_error: { trials: 0, rate: null }, p_value: null }, {}, {}] }],
    });
    await expect(ask(engine, { view: "diff", evaluation_call_ids: ["run"] })).rejects.toThrow(
      "no score of true and false; name one as success",
    );
    expect(await ask(engine, { view: "trial", trials: ["a1"] })).toMatchObject({
      success: null,
      passed: null,
    });
  });
});
