import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startService, type TestService } from "../http/running-service.ts";
import { until } from "../support/until.ts";
import {
  DONE,
  replyWith,
  startUpstream,
  streamOf,
  type Script,
  type ScriptedUpstream,
} from "./scripted-upstream.ts";

let upstream: ScriptedUpstream;
let service: TestService;
const calls: Record<string, unknown>[] = [];

beforeAll(async () => {
  upstream = await startUpstream();
  service = await startService({
    inference: {
      upstreams: [
        { base_url: upstream.url, priority_scheduling: false, rename: { engine_xargs: "vllm_xargs" } },
      ],
      default_model: "m",
      cache_salt_secret_env: "SALT",
      max_concurrent_per_project: 1,
      record: true,
      timeouts: { idle_ms: 5000 },
    },
    inferenceOptions: { environment: { SALT: "s3cret" } },
    async ingestCalls(records) {
      calls.push(...(records as Record<string, unknown>[]));
    },
  });
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
});

beforeEach(() => {
  upstream.calls.length = 0;
  service.usage.length = 0;
  calls.length = 0;
});

const COMPLETION = {
  object: "text_completion",
  choices: [{ index: 0, text: "hello", finish_reason: "stop" }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
};
const EMBEDDINGS = {
  object: "list",
  data: [{ object: "embedding", index: 0, embedding: [0.5] }],
  usage: { prompt_tokens: 3, total_tokens: 3 },
};
const RESPONSE = {
  object: "response",
  status: "completed",
  output: [{ type: "message", content: [{ type: "output_text", text: "hello" }] }],
  usage: {
    input_tokens: 3,
    output_tokens: 2,
    total_tokens: 5,
    input_tokens_details: { cached_tokens: 1 },
  },
};

/** Endpoint, the member that asks, and a whole reply with its counts of tokens. */
const ENDPOINTS = [
  ["completions", "prompt", COMPLETION, { promptTokens: 3, completionTokens: 2, cachedTokens: null }],
  ["embeddings", "input", EMBEDDINGS, { promptTokens: 3, completionTokens: null, cachedTokens: null }],
  ["responses", "input", RESPONSE, { promptTokens: 3, completionTokens: 2, cachedTokens: 1 }],
] as const;

function post(endpoint: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return service.fetch(`/v1/${endpoint}`, {
    method: "POST",
    headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

async function refusalOf(response: Response) {
  const { error } = (await response.json()) as { error: { code: string | null; param: string | null } };
  return [response.status, error.code, error.param];
}

describe.each(ENDPOINTS)("/v1/%s", (endpoint, asks, reply, counts) => {
  it("passes bytes on unchanged both ways, and counts them", async () => {
    const answered = `${JSON.stringify(reply).slice(0, -1)},"big": 9007199254740993}`;
    upstream.script("m", replyWith(200, answered));
    const sent = `{ "model":"m", "${asks}":"\\u00e9", "seed": 9223372036854775807, "foo": 1.0 }`;
    for (const path of [endpoint, `${endpoint}/`]) {
      const response = await post(path, sent, { "openai-project": "acme/qa" });
      expect([response.status, await response.text()]).toEqual([200, answered]);
      expect(response.headers.get("x-request-id")).toBeTruthy();
    }
    expect(upstream.calls.map(({ path, body }) => [path, body])).toEqual([
      [`/v1/${endpoint}`, sent],
      [`/v1/${endpoint}`, sent],
    ]);
    const row = { project: "acme/qa", model: "m", status: 200, streamed: false, outcome: "ok", ...counts };
    expect(service.usage).toMatchObject([row, row]);
  });

  it("names the default model, renames members and binds salts", async () => {
    upstream.script("m", replyWith(200, JSON.stringify(reply)));
    await post(endpoint, `{"${asks}":"x","engine_xargs":{"a":1},"cache_salt":"salt-4711"}`);
    const { cache_salt: salt, ...body } = JSON.parse(upstream.calls[0]?.body ?? "{}") as {
      cache_salt: string;
    };
    expect(body).toEqual({ model: "m", [asks]: "x", vllm_xargs: { a: 1 } });
    expect(salt).not.toBe("salt-4711");
  });

  it("refuses what would mislead it, and asks no model server", async () => {
    const refused = [
      ["[]", [400, "invalid_json", null]],
      [`{"${asks}":"x","model":1}`, [400, "invalid_value", "model"]],
      [`{"${asks}":"x","model":"m","model":"n"}`, [400, "invalid_value", "model"]],
      [`{"${asks}":"x","priority":1}`, [400, "invalid_value", "priority"]],
    ] as const;
    for (const [body, expected] of refused)
      expect([body, await refusalOf(await post(endpoint, body))]).toEqual([body, expected]);
    expect((await fetch(`${service.url}/v1/${endpoint}`, { method: "POST" })).status).toBe(401);
    const other = await post(endpoint, { [asks]: "x" }, { "openai-project": "other/x" });
    expect(other.status).toBe(403);
    expect(upstream.calls).toHaveLength(0);
  });

  it("asks once, and hands on the refusal of the model server", async () => {
    upstream.script("m", replyWith(429, '{"error":{"message":"slow"}}', { "retry-after": "1" }));
    const response = await post(endpoint, { [asks]: "x" });
    expect([response.status, response.headers.get("retry-after"), await response.text()]).toEqual([
      429,
      "1",
      '{"error":{"message":"slow"}}',
    ]);
    expect(upstream.calls).toHaveLength(1);
    expect(service.usage).toMatchObject([{ status: 429, outcome: "failed" }]);
  });

  it("holds the limit of a project, and lets go when the client leaves", async () => {
    upstream.script("m", () => {});
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${service.key}`, "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify({ [asks]: "x" }) };
    const waiting = fetch(`${service.url}/v1/${endpoint}`, { ...init, signal: leaving.signal });
    await until("the model server is asked", () => upstream.calls.length > 0);
    expect(await refusalOf(await post(endpoint, { [asks]: "x" }))).toEqual([
      429,
      "rate_limit_exceeded",
      null,
    ]);
    leaving.abort();
    await expect(waiting).rejects.toThrow("aborted");
    expect(await upstream.calls[0]?.cutOff).toBe(true);
    await until("the request is counted", () => service.usage.length > 0);
    expect(service.usage).toMatchObject([{ outcome: "aborted" }]);
  });
});

describe("requests", () => {
  it("need a prompt or an input, where model servers do", async () => {
    expect(await refusalOf(await post("completions", {}))).toEqual([
      400,
      "missing_required_parameter",
      "prompt",
    ]);
    expect(await refusalOf(await post("embeddings", {}))).toEqual([
      400,
      "missing_required_parameter",
      "input",
    ]);
    upstream.script("m", replyWith(200, JSON.stringify(RESPONSE)));
    expect((await post("responses", { prompt: { id: "p" } })).status).toBe(200);
  });

  it("of completions are held to the bounds of chat, others are not", async () => {
    const beyond = '"seed":9223372036854776001,"truncate_prompt_tokens":-2,"stream_options":1';
    expect((await post("completions", `{"prompt":"x",${beyond}}`)).status).toBe(400);
    for (const member of beyond.split(","))
      expect((await post("completions", `{"prompt":"x",${member}}`)).status).toBe(400);
    upstream.script("m", replyWith(200, JSON.stringify(EMBEDDINGS)));
    expect((await post("embeddings", `{"input":"x","stream":1,${beyond}}`)).status).toBe(200);
    expect((await post("responses", `{"input":"x",${beyond}}`)).status).toBe(200);
    const both = { continue_final_message: true, add_generation_prompt: true };
    expect((await post("completions", { prompt: "x", ...both })).status).toBe(200);
    for (const endpoint of ["completions", "responses"])
      expect(await refusalOf(await post(endpoint, { prompt: "x", stream: "yes" }))).toEqual([
        400,
        "invalid_value",
        "stream",
      ]);
  });
});

async function streamed(endpoint: string, script: Script, extra: object = {}): Promise<string> {
  upstream.script("m", script);
  const asked = { prompt: "x", input: "x", stream: true, ...extra };
  const response = await post(endpoint, asked, { "openai-project": "acme/qa" });
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  return response.text();
}

function text(piece: string, index = 0, reason: string | null = null): string {
  const choice = { index, text: piece, logprobs: null, finish_reason: reason };
  return `data: ${JSON.stringify({ id: "c", object: "text_completion", choices: [choice] })}\n\n`;
}

function event(type: string, members: object = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
}

const PIECES = [
  event("response.created", { response: { status: "in_progress", error: null, usage: null } }),
  event("response.output_text.delta", { delta: "hel" }),
  event("response.output_text.delta", { delta: "lo" }),
];
const COMPLETED = event("response.completed", { response: RESPONSE });
const destroy = { ending: (response: { destroy(): unknown }) => void response.destroy() };
const keepOpen = { ending: () => {} };
const BROKEN = JSON.stringify({
  type: "error",
  code: "upstream_stream_error",
  message: "The model server broke off in the middle of its answer.",
  param: null,
});

describe("a stream of completions", () => {
  it("waits for each choice of each prompt, and is recorded whole", async () => {
    const usage = `data: ${JSON.stringify({ choices: [], usage: COMPLETION.usage })}\n\n`;
    const pieces = [text("he"), text("a", 1, "stop"), text("llo"), text("", 0, "length"), usage];
    const extra = { prompt: ["x", "y"] };
    expect(await streamed("completions", streamOf(pieces), extra)).toBe(pieces.join("") + DONE);
    await until("the completion is recorded", () => calls.length > 0);
    expect(calls).toMatchObject([
      {
        op_name: "completions.create",
        inputs: extra,
        output: {
          object: "text_completion",
          choices: [
            { index: 0, text: "hello", finish_reason: "length" },
            { index: 1, text: "a", finish_reason: "stop" },
          ],
        },
        summary: { usage: { m: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } } },
      },
    ]);
    expect(service.usage).toMatchObject([{ streamed: true, outcome: "ok", completionTokens: 2 }]);
    expect(service.usage[0]?.firstTokenMs).toBeGreaterThanOrEqual(0);
  });

  it("that lacks a choice ends with an error frame and [DONE]", async () => {
    const pieces = [text("a", 0, "stop")];
    const got = await streamed("completions", streamOf(pieces), { prompt: [[1, 2], [3]] });
    expect(got.startsWith(pieces.join(""))).toBe(true);
    expect(got).toContain('"code":"upstream_stream_error"');
    expect(got.endsWith(DONE)).toBe(true);
    expect((await streamed("completions", streamOf(pieces), { prompt: [1, 2] })).endsWith(DONE)).toBe(true);
    expect(service.usage).toMatchObject([{ outcome: "failed" }, { outcome: "ok" }]);
  });
});

describe("a stream of a response", () => {
  it.each([
    ["that ends", streamOf([...PIECES, COMPLETED]), PIECES.join("") + COMPLETED],
    ["that stays open", streamOf([...PIECES, COMPLETED], keepOpen), PIECES.join("") + COMPLETED],
    ["that breaks after its end", streamOf([...PIECES, COMPLETED], destroy), PIECES.join("") + COMPLETED],
    ["with [DONE]", streamOf([...PIECES, COMPLETED + DONE]), PIECES.join("") + COMPLETED + DONE],
    [
      "with [DONE] of its own",
      streamOf([...PIECES, COMPLETED, DONE], keepOpen),
      PIECES.join("") + COMPLETED + DONE,
    ],
    ["without its last line end", streamOf([...PIECES, COMPLETED.slice(0, -2)]), PIECES.join("") + COMPLETED],
  ])("%s is passed on as it is", async (_, script, expected) => {
    expect(await streamed("responses", script)).toBe(expected);
    expect(service.usage).toMatchObject([
      { streamed: true, outcome: "ok", promptTokens: 3, completionTokens: 2, cachedTokens: 1 },
    ]);
    expect(service.usage[0]?.firstTokenMs).toBeGreaterThanOrEqual(0);
    await until("the response is recorded", () => calls.length > 0);
    expect(calls).toMatchObject([{ op_name: "responses.create", output: RESPONSE }]);
  });

  it.each([
    ["ends", streamOf(PIECES)],
    ["breaks", streamOf(PIECES, destroy)],
    ["breaks in the middle of an event", streamOf([...PIECES, COMPLETED.slice(0, 40)], destroy)],
    ["says [DONE]", streamOf([...PIECES, DONE])],
    ["says [DONE] in one piece", streamOf([PIECES.join("") + DONE], keepOpen)],
  ])("that %s before its last event gets an error event and no [DONE]", async (_, script) => {
    expect(await streamed("responses", script)).toBe(`${PIECES.join("")}event: error\ndata: ${BROKEN}\n\n`);
    expect(service.usage).toMatchObject([{ outcome: "failed" }]);
    expect(calls).toEqual([]);
  });

  it.each(["response.incomplete", "response.failed", "error"])("ends at %s", async (type) => {
    const last = event(type, { response: RESPONSE });
    expect(await streamed("responses", streamOf([...PIECES, last], keepOpen))).toBe(PIECES.join("") + last);
    const outcome = type === "response.incomplete" ? "ok" : "failed";
    expect(service.usage).toMatchObject([{ outcome, promptTokens: 3 }]);
  });
});

it("embeddings never stream, and are not recorded", async () => {
  upstream.script("m", streamOf(["data: {}\n\n"]));
  const response = await post("embeddings", { input: "x", stream: true }, { "openai-project": "acme/qa" });
  expect(await response.text()).toBe("data: {}\n\n");
  expect(service.usage).toMatchObject([{ streamed: false, outcome: "ok" }]);
  upstream.script("m", replyWith(200, JSON.stringify(RESPONSE)));
  await post("responses", { input: "last" }, { "openai-project": "acme/qa" });
  await until("the response is recorded", () => calls.length > 0);
  expect(calls).toMatchObject([{ op_name: "responses.create", inputs: { input: "last" } }]);
});
