import { createOpenAICompatible } from "ai-compat2";
import { generateText, jsonSchema, streamText, tool, type ToolSet } from "ai6";
import { OpenAI as OpenAI4 } from "openai4";
import { OpenAI as OpenAI5 } from "openai5";
import { OpenAI as OpenAI6 } from "openai6";
import { CursorPage } from "openai6/pagination";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startService, type TestService } from "../http/running-service.ts";
import { until } from "../support/until.ts";
import {
  COMPLETION,
  delta,
  DONE,
  finish,
  frame,
  replyWith,
  startUpstream,
  steppedStream,
  streamOf,
  type ScriptedUpstream,
} from "./scripted-upstream.ts";

let upstream: ScriptedUpstream;
let service: TestService;

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.models = replyWith(
    200,
    '{"object":"list","data":[{"id":"a/b","object":"model","created":7,"owned_by":"x","extra":1}]}',
  );
  upstream.script("a/b", replyWith(200, COMPLETION));
  upstream.script("stream", streamOf([delta("he"), delta("llo"), finish(), usageFrame(), DONE]));
  upstream.script("broken", streamOf([delta("a")], { ending: (response) => void response.destroy() }));
  upstream.script("cut", streamOf([delta("a"), delta("b").slice(0, 50)]));
  upstream.script(
    "erring",
    streamOf([delta("a"), 'data: {"error":{"message":"boom","type":"x","code":500}}\n\n', DONE]),
  );
  upstream.script(
    "refusing",
    replyWith(400, '{"error":{"message":"no","type":"t","param":"body.seed","code":400}}'),
  );
  const limited =
    '{"error":{"message":"slow","type":"rate_limit_error","param":null,"code":"rate_limit_exceeded"}}';
  upstream.script("limited", replyWith(429, limited, { "retry-after-ms": "20" }));
  upstream.script("tools", replyWith(200, TOOL_REPLY));
  upstream.script("tools-stream", streamOf(TOOL_EVENTS));
  upstream.script("thinking", streamOf([thought("hm"), delta("yes"), finish(), DONE]));
  upstream.script("text", streamOf([TEXT_PIECE, DONE]));
  upstream.script("vector", replyWith(200, VECTORS));
  upstream.script("respond", replyWith(200, JSON.stringify(RESPONSE)));
  upstream.script(
    "respond-stream",
    streamOf([responseEvent("response.output_text.delta", { delta: "hello" }), RESPONDED]),
  );
  upstream.script("respond-cut", streamOf([responseEvent("response.output_text.delta", { delta: "a" })]));
  service = await startService({ inference: { upstreams: [{ base_url: upstream.url }] } });
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
});

beforeEach(() => {
  upstream.calls.length = 0;
  service.usage.length = 0;
});

function usageFrame(): string {
  return frame({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } });
}

function thought(reasoning: string): string {
  return frame({ choices: [{ index: 0, delta: { role: "assistant", reasoning }, finish_reason: null }] });
}

const TEXT_PIECE = `data: ${JSON.stringify({
  id: "cmpl-1",
  object: "text_completion",
  created: 1,
  model: "text",
  choices: [{ index: 0, text: "hello", logprobs: null, finish_reason: "stop" }],
})}\n\n`;
const VECTORS = JSON.stringify({
  object: "list",
  model: "vector",
  data: [{ object: "embedding", index: 0, embedding: [0.5, -0.25] }],
  usage: { prompt_tokens: 3, total_tokens: 3 },
});
const RESPONSE = {
  id: "resp_1",
  object: "response",
  created_at: 1,
  model: "respond",
  status: "completed",
  error: null,
  output: [
    {
      id: "msg_1",
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "hello", annotations: [] }],
    },
  ],
  usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
};
const RESPONDED = responseEvent("response.completed", { response: RESPONSE });

function responseEvent(type: string, members: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
}

const CALL = { index: 0, id: "call_1", type: "function", function: { name: "f", arguments: '{"a"' } };
const REST = { index: 0, function: { arguments: ":1}" } };
const TOOL_EVENTS = [
  frame({
    choices: [
      { index: 0, delta: { role: "assistant", content: null, tool_calls: [CALL] }, finish_reason: null },
    ],
  }),
  frame({ choices: [{ index: 0, delta: { tool_calls: [REST] }, finish_reason: null }] }),
  frame({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] }),
  DONE,
];
const TOOL_REPLY = JSON.stringify({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "tools",
  choices: [
    {
      index: 0,
      finish_reason: "tool_calls",
      message: {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "call_1", type: "function", function: { name: "f", arguments: '{"a":1}' } }],
      },
    },
  ],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

const MESSAGES = [{ role: "user" as const, content: "hi" }];

describe.each([
  ["4", OpenAI4 as unknown as typeof OpenAI6],
  ["5", OpenAI5 as unknown as typeof OpenAI6],
  ["6", OpenAI6],
])("the OpenAI SDK %s", (major, OpenAI) => {
  const client = (options: Record<string, unknown> = {}) =>
    new OpenAI({ apiKey: service.key, baseURL: `${service.url}/v1`, ...options });

  it("lists models and completes with what it lists", async () => {
    const models = (await client().models.list()).data;
    expect(models).toEqual([
      { id: "a/b", object: "model", created: 7, owned_by: "x", root: "a/b", extra: 1 },
    ]);
    const reply = await client().chat.completions.create({ model: models[0]?.id ?? "", messages: MESSAGES });
    expect(reply.choices[0]?.message.content).toBe("hello");
    const { request_id: id } = JSON.parse(service.log.at(-1) ?? "{}") as { request_id?: string };
    expect(reply).toHaveProperty("_request_id", id);
  });

  it("completes prompts", async () => {
    const stream = await client().completions.create({ model: "text", prompt: "hi", stream: true });
    const pieces: string[] = [];
    for await (const { choices } of stream) pieces.push(choices[0]?.text ?? "");
    expect(pieces).toEqual(["hello"]);
    expect(service.usage).toMatchObject([{ model: "text", streamed: true, outcome: "ok" }]);
  });

  it("embeds texts", async () => {
    const asked = { model: "vector", input: "hi", encoding_format: "float" as const };
    const { data, usage } = await client().embeddings.create(asked);
    expect([data[0]?.embedding, usage]).toEqual([[0.5, -0.25], { prompt_tokens: 3, total_tokens: 3 }]);
    expect(service.usage).toMatchObject([{ model: "vector", promptTokens: 3, completionTokens: null }]);
  });

  it("asks for responses, whole and in a stream", async () => {
    const whole = await client().responses.create({ model: "respond", input: "hi" });
    expect(whole.output_text).toBe("hello");
    const stream = await client().responses.create({ model: "respond-stream", input: "hi", stream: true });
    const seen: string[] = [];
    for await (const { type } of stream) seen.push(type);
    expect(seen).toEqual(["response.output_text.delta", "response.completed"]);
    const counts = { promptTokens: 3, completionTokens: 2 };
    expect(service.usage).toMatchObject([counts, { ...counts, streamed: true, outcome: "ok" }]);
  });

  it("sees an error event at the end of a response that broke off", async () => {
    const stream = await client().responses.create({ model: "respond-cut", input: "hi", stream: true });
    const seen: unknown[] = [];
    const read = async () => {
      for await (const event of stream) seen.push(event);
    };
    // Version 4 raises it.
    await read().catch((thrown: unknown) => seen.push(thrown));
    expect(seen).toMatchObject([{ delta: "a" }, { message: expect.stringContaining("broke off") as string }]);
  });

  it("finds no state of a response", async () => {
    const refused = await client()
      .responses.retrieve("resp_1")
      .catch((thrown: unknown) => thrown);
    expect(refused).toMatchObject({ status: 404, code: "not_offered" });
  });

  it("finds no single model", async () => {
    await expect(client().models.retrieve("a/b")).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });

  it("streams, and reads the usage", async () => {
    const stream = await client().chat.completions.create({
      model: "stream",
      messages: MESSAGES,
      stream: true,
    });
    let text = "";
    let usage: unknown;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      usage = chunk.usage ?? usage;
    }
    expect(text).toBe("hello");
    expect(usage).toMatchObject({ total_tokens: 3 });
  });

  it("puts tool calls together", async () => {
    const { chat, beta } = client();
    const helper = (
      major === "4" ? (beta as unknown as typeof OpenAI6.prototype).chat : chat
    ).completions.stream({ model: "tools-stream", messages: MESSAGES });
    const completion = await helper.finalChatCompletion();
    expect(completion.choices[0]?.message.tool_calls).toMatchObject([{ function: { arguments: '{"a":1}' } }]);
  });

  it.each(["broken", "cut", "erring"])("raises on a stream that is %s", async (model) => {
    const stream = await client().chat.completions.create({ model, messages: MESSAGES, stream: true });
    const read = async () => {
      for await (const chunk of stream) expect(chunk.choices[0]?.delta.content).toBe("a");
    };
    await expect(read()).rejects.toBeInstanceOf(OpenAI.APIError);
  });

  it("that breaks out of a stream ends it upstream", async () => {
    upstream.script("endless", streamOf([delta("a")], { ending: () => {} }));
    const stream = await client().chat.completions.create({
      model: "endless",
      messages: MESSAGES,
      stream: true,
    });
    for await (const _ of stream) break;
    expect(await upstream.calls[0]?.cutOff).toBe(true);
  });

  it("maps refusals to its own errors", async () => {
    const refused = client().chat.completions.create({ model: "refusing", messages: MESSAGES });
    const error = await refused.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error).toMatchObject({ code: 400, param: "body.seed", status: 400 });
    expect(major === "4" || typeof (error as { requestID?: unknown }).requestID === "string").toBe(true);
    await expect(client({ apiKey: "wrong" }).models.list()).rejects.toBeInstanceOf(
      OpenAI.AuthenticationError,
    );
    expect(upstream.calls).toHaveLength(1);
  });

  it("is told once that its request is too large", async () => {
    const small = await startService({
      inference: { upstreams: [{ base_url: upstream.url }] },
      limits: { chat: 1024 },
    });
    const messages = [{ role: "user" as const, content: "x".repeat(100_000) }];
    const other = client({ apiKey: small.key, baseURL: `${small.url}/v1` });
    await expect(other.chat.completions.create({ model: "a/b", messages })).rejects.toMatchObject({
      status: 413,
      code: "request_too_large",
    });
    expect(small.log).toHaveLength(1);
    await small.stop();
  });

  it("reads reasoning, and comments that keep a stream alive among events with ids", async () => {
    const lively = await startService({
      inference: { upstreams: [{ base_url: upstream.url }], keep_alive_ms: 20 },
    });
    const { script, send, end } = steppedStream();
    upstream.script("lively", script);
    let received = "";
    const reading = async (input: string, init?: RequestInit) => {
      const response = await fetch(input, init);
      const [noted, passed] = response.body?.tee() ?? [null, null];
      const note = async () => {
        for await (const piece of noted ?? []) received += Buffer.from(piece).toString();
      };
      void note();
      return new Response(passed, response);
    };
    const other = client({ apiKey: lively.key, baseURL: `${lively.url}/v1`, fetch: reading });
    const stream = await other.chat.completions.create({ model: "lively", messages: MESSAGES, stream: true });
    const seen: unknown[] = [];
    send(`id: 1\n${thought("hm")}`);
    for await (const chunk of stream) {
      seen.push(chunk.choices[0]?.delta);
      if (seen.length > 1) continue;
      await until("two comments", () => received.split(": keep-alive\n").length > 2);
      send(`id: 2\n${delta("yes")}id: 3\n${finish()}${DONE}`);
      end();
    }
    expect(seen).toMatchObject([{ reasoning: "hm" }, { content: "yes" }, {}]);
    await lively.stop();
  });

  it("posts training jobs, and reads what is wrong with them", async () => {
    const model = "0198b0d4-0000-4000-8000-000000000002";
    const body = { model_id: model, trajectory_groups: [{ trajectories: [{ reward: 1, tools: null }] }] };
    const { id } = await client().post<{ id: string }>("/preview/training-jobs", { body });
    expect(await service.training.getJob(id)).toMatchObject({ request: body });
    const refused = client().post("/preview/training-jobs", { body: { ...body, trajectory_groups: [{}] } });
    const error = await refused.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OpenAI.UnprocessableEntityError);
    expect((error as Error).message).toContain("trajectory_groups[0].trajectories");
  });

  it("tries again after 429, and the service does not do so too", async () => {
    const limited = client().chat.completions.create({ model: "limited", messages: MESSAGES });
    await expect(limited).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    expect(upstream.calls).toHaveLength(3);
  });

  it("names its project", async () => {
    const project = client({ project: "acme/qa" });
    await project.chat.completions.create({ model: "a/b", messages: MESSAGES });
    expect(service.usage).toMatchObject([{ project: "acme/qa" }]);
    expect(upstream.calls[0]?.headers["openai-project"]).toBeUndefined();
    await expect(client({ project: "foo" }).models.list()).rejects.toMatchObject({ code: "invalid_project" });
    await expect(client({ project: "other/x" }).models.list()).rejects.toBeInstanceOf(
      OpenAI.PermissionDeniedError,
    );
  });
});

describe("the OpenAI SDK's cursor pages", () => {
  it("run through the checkpoints of a model", async () => {
    const named = { project: "qa", name: "checked", base_model: "base" };
    const { id: model } = await service.training.registerModel(named, { entity: "acme" });
    for (const step of [0, 1, 2, 3, 4]) await service.training.addCheckpoint(model, { step });
    const seen: number[] = [];
    const query = { limit: 2, order: "desc" };
    type Checkpoint = { id: string; step: number };
    const client = new OpenAI6({ apiKey: service.key, baseURL: `${service.url}/v1` });
    const list = client.getAPIList<Checkpoint, CursorPage<Checkpoint>>(
      `/preview/models/${model}/checkpoints`,
      CursorPage,
      { query },
    );
    for await (const item of list) seen.push(item.step);
    expect(seen).toEqual([4, 3, 2, 1, 0]);
  });
});

function modelOf(id: string) {
  return createOpenAICompatible({ name: "evalcube", apiKey: service.key, baseURL: `${service.url}/v1` })(id);
}

describe("the AI SDK's provider", () => {
  it("generates text, with tools too", async () => {
    expect((await generateText({ model: modelOf("a/b"), prompt: "hi" })).text).toBe("hello");
    const inputSchema = jsonSchema<{ a: number }>({ type: "object", properties: { a: { type: "number" } } });
    const tools = { f: tool({ inputSchema }) } as unknown as ToolSet;
    const { toolCalls } = await generateText({ model: modelOf("tools"), prompt: "hi", tools });
    expect(toolCalls).toMatchObject([{ toolName: "f", input: { a: 1 } }]);
    expect(JSON.parse(upstream.calls.at(-1)?.body ?? "{}")).toMatchObject({ tool_choice: "auto" });
  });

  it("streams text and reasoning", async () => {
    const result = streamText({ model: modelOf("thinking"), prompt: "hi" });
    expect(await result.text).toBe("yes");
    expect(await result.reasoningText).toBe("hm");
    expect(await result.finishReason).toBe("stop");
  });

  it("streams the input of a tool call", async () => {
    const inputSchema = jsonSchema<{ a: number }>({ type: "object", properties: { a: { type: "number" } } });
    const tools = { f: tool({ inputSchema }) } as unknown as ToolSet;
    const result = streamText({ model: modelOf("tools-stream"), prompt: "hi", tools });
    expect(await result.toolCalls).toMatchObject([{ toolName: "f", input: { a: 1 } }]);
  });

  it.each(["broken", "cut", "erring"])("sees that a stream is %s", async (id) => {
    const parts: string[] = [];
    const result = streamText({ model: modelOf(id), prompt: "hi", onError: () => {} });
    for await (const part of result.fullStream) parts.push(part.type);
    expect(parts).toContain("error");
  });

  it("has no trouble after all that", async () => {
    expect((await generateText({ model: modelOf("a/b"), prompt: "hi" })).text).toBe("hello");
  });
});
