import { generateText, jsonSchema, stepCountIs, streamText, tool } from "ai6";
import { MockLanguageModelV3, simulateReadableStream } from "ai6/test";
import { afterAll, describe, expect, it } from "vitest";
import type { CallRecord, EvaluateOptions, TaskContext, ToldSteps } from "../../src/index.ts";
import { openEngine } from "../../src/index.ts";
import { isJsonObject, type JsonObject } from "../../src/model/json.ts";
import { PROJECT } from "../support/records.ts";
import { recordsOf, trialsOf } from "./reading.ts";

const engine = await openEngine();
afterAll(() => engine.close());

type Task = (row: string, context: TaskContext) => unknown;

/** Runs a task over one row; answers its records and what was warned of. */
async function ran(task: Task, options: Partial<EvaluateOptions<string, unknown>> = {}) {
  const warnings: string[] = [];
  const run = await engine.evaluate<string, unknown>(PROJECT, {
    name: "steps",
    model: "agent:v1",
    data: ["row"],
    task,
    scorers: { right: () => true },
    onWarning: (message) => warnings.push(message),
    ...options,
  });
  const records = await recordsOf(engine, run.id);
  const predict = records.find(({ op_name }) => op_name === "Model.predict");
  const trial = records.find(({ op_name }) => op_name === "Evaluation.predict_and_score");
  const steps = records
    .filter((one) => one.parent_id === predict?.id)
    .toSorted((a, b) => placeOf(a) - placeOf(b));
  return { run, records, predict, trial, steps, warnings };
}

const attributesOf = ({ attributes }: Partial<CallRecord>): JsonObject =>
  isJsonObject(attributes) ? attributes : {};
const ours = (call: Partial<CallRecord>): JsonObject => {
  const { evalcube } = attributesOf(call);
  return isJsonObject(evalcube) ? evalcube : {};
};
const placeOf = (call: CallRecord) => Number(ours(call)["step"]);
const toldOf = (steps: readonly CallRecord[]) =>
  steps.map((one) => [
    attributesOf(one)["gen_ai.operation.name"],
    one.op_name,
    one.inputs,
    one.output ?? null,
  ]);

describe("chat and tool", () => {
  it("give what they are given, and write a call each below the prediction, with its times", async () => {
    const messages = [{ role: "user", content: "2 + 2" }];
    const { steps, predict } = await ran(async (_row, { chat, tool: call }) => {
      const reply = await chat({ model: "gpt-x", messages }, async (request) => {
        expect(request.messages).toBe(messages);
        return await Promise.resolve({
          model: "gpt-x-1",
          text: "4",
          usage: { prompt_tokens: 5, completion_tokens: 1 },
        });
      });
      messages.push({ role: "assistant", content: reply.text });
      const sum: number = await call("add", { a: 2, b: 2 }, ({ a, b }) => a + b);
      return [reply.text, sum];
    });
    expect(toldOf(steps)).toEqual([
      [
        "chat",
        "chat",
        { model: "gpt-x", messages: [{ role: "user", content: "2 + 2" }] },
        { model: "gpt-x-1", text: "4", usage: { prompt_tokens: 5, completion_tokens: 1 } },
      ],
      ["execute_tool", "add", { a: 2, b: 2 }, 4],
    ]);
    expect(steps.map((one) => attributesOf(one)["gen_ai.tool.name"])).toEqual([undefined, "add"]);
    expect(steps[0]?.summary).toMatchObject({ usage: { "gpt-x-1": { prompt_tokens: 5, total_tokens: 6 } } });
    const times = steps.flatMap(({ started_at, ended_at }) => [String(started_at), String(ended_at)]);
    expect(times).toEqual(times.toSorted((a, b) => (a < b ? -1 : 1)));
    expect(String(predict?.started_at) < String(steps[0]?.started_at)).toBe(true);
  });

  it("throw what is thrown, and the step has it as its exception", async () => {
    const { steps, trial } = await ran(async (_row, { tool: call }) => {
      const failed = await call("search", "cats", () => {
        throw new RangeError("too far");
      }).catch((error: unknown) => error);
      expect(failed).toBeInstanceOf(RangeError);
      return "went on";
    });
    expect(trial?.exception).toBeUndefined();
    expect(steps).toMatchObject([{ inputs: { arguments: "cats" }, exception: "RangeError: too far" }]);
  });

  it("give a prediction without usage the sums of its chats by model; what the task tells wins", async () => {
    const replies = [
      { model: "a", usage: { input_tokens: 10, cache_read_input_tokens: 90, output_tokens: 5 } },
      {
        model: "b",
        usage: { prompt_tokens: 7, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 3 } },
      },
      { model: "a", usage: { input_tokens: 1, output_tokens: 1 } },
      { model: "a" },
    ];
    const task: Task = async (_row, { chat }) => {
      for (const reply of replies) await chat({}, () => reply);
    };
    const summed = await ran(task);
    expect(summed.predict?.summary).toEqual({
      usage: {
        a: {
          input_tokens: 101,
          output_tokens: 6,
          input_tokens_details: { cached_tokens: 90 },
          total_tokens: 107,
        },
        b: { input_tokens: 7, output_tokens: 1, input_tokens_details: { cached_tokens: 3 }, total_tokens: 8 },
      },
    });
    expect(await trialsOf(engine, summed.run.id)).toMatchObject([{ total_tokens: 115 }]);
    const told = await ran(async (row, context) => {
      context.usage({ own: { total_tokens: 1 } });
      await task(row, context);
    });
    expect(told.predict?.summary).toEqual({ usage: { own: { total_tokens: 1 } } });
  });

  it("keep no reply that JSON cannot hold, and of a request what it can", async () => {
    const stream = { next: () => "piece" };
    const { steps, warnings } = await ran(async (_row, { chat }) => {
      const reply = await chat({ model: "m", tools: { run: () => 1 }, at: 0n }, () => stream);
      expect(reply).toBe(stream);
    });
    expect(steps).toMatchObject([{ inputs: { model: "m", at: 0 } }]);
    expect(steps[0]?.output ?? null).toBeNull();
    expect(warnings.join("\n")).toMatch(/tools of chat.*\n.*the result of chat/s);
  });

  it("are refused after their trial, and for names that are none; what hangs then has no end", async () => {
    let late: TaskContext | undefined;
    const waiting: ((value: string) => void)[] = [];
    const { steps, trial } = await ran(
      async (_row, context) => {
        late = context;
        await expect(context.tool("", {}, () => 1)).rejects.toMatchObject({ code: "invalid_value" });
        await context.tool("slow", {}, () => new Promise<string>((resolve) => void waiting.push(resolve)));
      },
      { timeoutMs: 20 },
    );
    expect(trial?.exception).toMatch(/^TimeoutError/);
    expect(steps.map(({ op_name, ended_at }) => [op_name, ended_at])).toEqual([["slow", undefined]]);
    for (const release of waiting) release("late");
    await expect(late?.chat({}, () => 1)).rejects.toMatchObject({ code: "finished" });
    expect(() => late?.steps([])).toThrow(expect.objectContaining({ code: "finished" }));
    expect(() => late?.stop("late")).toThrow(expect.objectContaining({ code: "finished" }));
  });

  it("count of a task that is called again what its last call did", async () => {
    let calls = 0;
    const { steps, trial } = await ran(
      async (_row, { chat, stop }) => {
        calls++;
        stop(`try ${calls}`);
        await chat({ calls }, () => ({ usage: { total_tokens: 1, input_tokens: 1 } }));
        if (calls === 1) throw new Error("again");
      },
      { retries: 1 },
    );
    expect(steps.map(({ inputs }) => inputs)).toEqual([{ calls: 2 }]);
    expect(ours(trial ?? {})).toEqual({ stop_reason: "try 2" });
  });

  it("write a tool of the name of a trial as a call that is none", async () => {
    const { run } = await ran(async (_row, { tool: call }) =>
      call("Evaluation.predict_and_score", {}, () => 1),
    );
    expect(await trialsOf(engine, run.id)).toHaveLength(1);
  });
});

describe("steps that happened already", () => {
  const openAi = [
    { role: "user", content: "?" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "1", function: { name: "f", arguments: '{"a":1}' } }],
    },
    { role: "tool", tool_call_id: "1", content: "one" },
    { role: "assistant", content: "done" },
  ];
  const anthropic = [
    { role: "user", content: "?" },
    {
      role: "assistant",
      model: "claude-x",
      stop_reason: "tool_use",
      usage: { input_tokens: 3, cache_read_input_tokens: 4, output_tokens: 2 },
      content: [
        { type: "text", text: "I look" },
        { type: "tool_use", id: "1", name: "f", input: { a: 1 } },
        { type: "tool_use", id: "2", name: "g", input: {} },
      ],
    },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "2",
          is_error: true,
          content: [{ type: "text", text: "no such file" }],
        },
        { type: "tool_result", tool_use_id: "1", content: "one" },
        { type: "text", text: "go on" },
      ],
    },
    { role: "assistant", content: "done" },
  ];

  it("are a chat for each message of an assistant of OpenAI, and its tools, of which nothing says if they failed", async () => {
    let count = 0;
    const { steps } = await ran((_row, { steps: tell }) => (count = tell(openAi)));
    expect(count).toBe(3);
    expect(toldOf(steps)).toEqual([
      ["chat", "chat", { messages: [openAi[0]] }, openAi[1]],
      ["execute_tool", "f", { a: 1 }, "one"],
      ["chat", "chat", undefined, openAi[3]],
    ]);
    expect(steps.map(ours)).toEqual([
      { step: 0, untimed: true },
      { step: 1, untimed: true, error_unknown: true },
      { step: 2, untimed: true },
    ]);
  });

  it("have the errors that Anthropic marks, the tokens that its messages have, and the results by their ids", async () => {
    const { steps, predict } = await ran((_row, { steps: tell }) => tell(anthropic));
    expect(
      steps.map(({ op_name, output, exception }) => [op_name, output ?? null, exception ?? null]),
    ).toEqual([
      ["chat", anthropic[1], null],
      ["f", "one", null],
      ["g", "no such file", "Error: no such file"],
      ["chat", anthropic[3], null],
    ]);
    expect(steps.map((one) => ours(one)["error_unknown"])).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(steps[3]?.inputs).toEqual({
      messages: [{ role: "user", content: [{ type: "text", text: "go on" }] }],
    });
    expect(attributesOf(steps[0] ?? {})).toMatchObject({
      "gen_ai.response.model": "claude-x",
      "gen_ai.usage.input_tokens": 7,
      "gen_ai.response.finish_reasons": ["tool_use"],
    });
    expect(predict?.summary).toMatchObject({ usage: { "claude-x": { input_tokens: 7, total_tokens: 9 } } });
  });

  it.each<[string, unknown]>([
    ["a text", "hello"],
    ["an object without steps", { text: "hello" }],
    ["messages with others among them", [...openAi, { text: 1 }]],
    ["a promise of steps", { steps: Promise.resolve([]) }],
  ])("are none, with a warning, where they are told as %s", async (_, told) => {
    let count = -1;
    const { steps, warnings } = await ran((_row, { steps: tell }) => (count = tell(told as ToldSteps)));
    expect([count, steps, warnings.length]).toEqual([0, [], 1]);
  });

  it("come with a whole trial, and why it stopped, in both loops", async () => {
    const run = engine.startEvaluation<number>(PROJECT, { name: "by hand", model: "agent" });
    await run.logExample({
      row: 1,
      output: "a",
      scores: { right: true },
      steps: openAi,
      stopReason: "turn limit",
    });
    const prediction = run.startPrediction(2);
    await prediction.tool("f", { a: 2 }, () => "two");
    prediction.steps(openAi);
    prediction.stop("done");
    await run.flush();
    const part = await recordsOf(engine, run.id);
    expect(part.filter((one) => one.op_name === "f")).toHaveLength(1);
    prediction.output("b");
    await prediction.finish();
    await expect(prediction.tool("f", {}, () => 1)).rejects.toMatchObject({ code: "finished" });
    await run.finish();
    const records = await recordsOf(engine, run.id);
    expect(records.filter((one) => one.op_name === "f")).toHaveLength(3);
    const trials = records.filter(({ op_name }) => op_name === "Evaluation.predict_and_score");
    expect(trials.map((one) => ours(one)["stop_reason"])).toEqual(["turn limit", "done"]);
  });
});

const call = (id: string, toolName: string) => ({
  type: "tool-call" as const,
  toolCallId: id,
  toolName,
  input: '{"city":"Oslo"}',
});

describe("the AI SDK", () => {
  const usage = {
    inputTokens: { total: 10, noCache: 6, cacheRead: 4, cacheWrite: 0 },
    outputTokens: { total: 3, text: 3, reasoning: 0 },
  };
  const city = jsonSchema<{ city: string }>({ type: "object", properties: { city: { type: "string" } } });
  const tools = {
    weather: tool({
      inputSchema: city,
      execute: ({ city: place }) => `${place}: rain`,
    }),
    broken: tool({
      inputSchema: city,
      execute: (): Promise<string> => Promise.reject(new Error("no network")),
    }),
  };
  const settings = { tools, prompt: "?", stopWhen: stepCountIs(3) };
  const expected = [
    ["chat", null],
    ["weather", null],
    ["broken", "Error: no network"],
    ["chat", null],
  ];

  function expectSteps(steps: readonly CallRecord[], predict: CallRecord | undefined) {
    expect(steps.map(({ op_name, exception }) => [op_name, exception ?? null])).toEqual(expected);
    expect(steps[1]).toMatchObject({ inputs: { city: "Oslo" }, output: "Oslo: rain" });
    expect(steps.map((one) => ours(one)["error_unknown"])).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(attributesOf(steps[0] ?? {})).toMatchObject({
      "gen_ai.response.model": "mock-model-id",
      "gen_ai.usage.input_tokens": 10,
      "gen_ai.usage.output_tokens": 3,
      "gen_ai.usage.cache_read.input_tokens": 4,
      "gen_ai.response.finish_reasons": ["tool-calls"],
    });
    expect(predict?.summary).toMatchObject({
      usage: { "mock-model-id": { input_tokens: 20, output_tokens: 6 } },
    });
  }

  it("tells the steps of generateText", async () => {
    let turn = 0;
    const model = new MockLanguageModelV3({
      doGenerate: () => {
        const first = turn++ === 0;
        return Promise.resolve({
          content: first
            ? [call("1", "weather"), call("2", "broken")]
            : [{ type: "text" as const, text: "rain" }],
          finishReason: { unified: first ? ("tool-calls" as const) : ("stop" as const), raw: undefined },
          usage,
          warnings: [],
        });
      },
    });
    const { steps, predict, trial } = await ran(async (_row, context) => {
      const result = await generateText({ model, ...settings });
      expect(context.steps(result)).toBe(4);
      return result.text;
    });
    expect(trial?.output).toMatchObject({ output: "rain" });
    expectSteps(steps, predict);
  });

  it("tells the steps of streamText, awaited", async () => {
    let turn = 0;
    const model = new MockLanguageModelV3({
      doStream: () => {
        const first = turn++ === 0;
        const text = [
          { type: "text-start" as const, id: "t" },
          { type: "text-delta" as const, id: "t", delta: "rain" },
          { type: "text-end" as const, id: "t" },
        ];
        const finish = {
          type: "finish" as const,
          finishReason: { unified: first ? ("tool-calls" as const) : ("stop" as const), raw: undefined },
          usage,
        };
        const chunks = [...(first ? [call("1", "weather"), call("2", "broken")] : text), finish];
        return Promise.resolve({ stream: simulateReadableStream({ chunks }) });
      },
    });
    const { steps, predict } = await ran(async (_row, context) => {
      const result = streamText({ model, ...settings });
      expect(context.steps({ steps: await result.steps })).toBe(4);
      return await result.text;
    });
    expectSteps(steps, predict);
  });
});
