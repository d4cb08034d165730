import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startService, type TestService } from "../http/running-service.ts";
import {
  COMPLETION,
  delta,
  DONE,
  replyWith,
  startUpstream,
  streamOf,
  type ScriptedUpstream,
} from "./scripted-upstream.ts";

let upstream: ScriptedUpstream;
let service: TestService;

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.script("m", replyWith(200, COMPLETION));
  service = await startService({
    inference: {
      upstreams: [{ base_url: upstream.url, api_key_env: "UPSTREAM_KEY", rename: { renamed: "xargs" } }],
      project_header: "ACME-Project",
      max_concurrent_per_project: 3,
    },
    inferenceOptions: { environment: { UPSTREAM_KEY: "upstream-secret" } },
  });
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
});

beforeEach(() => {
  upstream.calls.length = 0;
});

const HELLO = { model: "m", messages: [{ role: "user", content: "hi" }] };

async function errorOf(
  response: Response,
): Promise<{ message: string; code: unknown; param: unknown; type: string }> {
  return (
    (await response.json()) as { error: { message: string; code: unknown; param: unknown; type: string } }
  ).error;
}

describe("the key of the model server", () => {
  const spellings = ["upstream-secret", "upstream\\u002dsecret", "\\u0075pstream-secret"];
  const bodies = spellings.flatMap(
    (key) =>
      [
        [400, `{"error":{"message":"bad key ${key}","type":"x","param":null,"code":null}}`],
        [500, `{"detail":"for ${key} and ${key}"}`],
        [404, `{"error":{"message":"no model","type":"x","param":"${key}","code":404}}`],
      ] as const,
  );

  it.each(bodies)("is taken out of a %i that says %s", async (status, body) => {
    upstream.script("telling", replyWith(status, body));
    const response = await service.chat({ ...HELLO, model: "telling" });
    expect(response.status).toBe(status);
    const text = await response.text();
    expect(JSON.stringify(JSON.parse(text))).toContain("[key]");
    expect(JSON.stringify(JSON.parse(text))).not.toContain("upstream-secret");
  });

  it("is taken out of an error within a stream", async () => {
    const error = 'data: {"error":{"message":"for upstream-secret"}}\n\n';
    upstream.script("breaking", streamOf([delta("a"), error, DONE]));
    const text = await (await service.chat({ ...HELLO, model: "breaking", stream: true })).text();
    expect(text).toContain("for [key]");
    expect(text).not.toContain("upstream-secret");
  });
});

describe("a completion request", () => {
  it("travels and returns byte for byte", async () => {
    const body =
      '{ "messages" : [{"role":"user","content":"caf\\u00e9 é 😀"}],\n"model":"m", "temperature": 1.0,"top_p":1e0,' +
      '"foo":{"z":1,"a":9223372036854775807}, "cache_salt":"s","engine_xargs":{"x":[1]},"seed": 9223372036854775807 }\n';
    const response = await service.chat(body);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.text()).toBe(COMPLETION);
    expect(upstream.calls.map((call) => call.body)).toEqual([body]);
    expect(upstream.calls[0]?.headers["content-length"]).toBe(String(Buffer.byteLength(body)));
  });

  it("is answered alike with a slash at the end of the path", async () => {
    const response = await service.fetch("/v1/chat/completions/", {
      method: "POST",
      redirect: "error",
      headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json; charset=utf-8" },
      body: JSON.stringify(HELLO),
    });
    expect(response.status).toBe(200);
  });

  it("carries the service's key and only harmless headers", async () => {
    await service.chat(HELLO, {
      headers: {
        cookie: "a=b",
        "x-vllm-priority": "1",
        "x-data-parallel-rank": "1",
        "x-session-id": "s",
        "x-request-id": "mine",
        "x-foo": "1",
        traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "openai-project": "acme/qa",
      },
    });
    const headers = upstream.calls[0]?.headers ?? {};
    expect(headers["authorization"]).toBe("Bearer upstream-secret");
    expect(Object.keys(headers).toSorted()).toEqual([
      "accept",
      "accept-encoding",
      "authorization",
      "connection",
      "content-length",
      "content-type",
      "host",
      "traceparent",
      "user-agent",
    ]);
    expect(headers["accept-encoding"]).toBe("identity");
  });

  it.each(["9223372036854776000", "-9223372036854776000", "1.0", "1e2", "null", "-0"])(
    "may have the seed %s, whose digits are kept",
    async (seed) => {
      const body = `{"model":"m","messages":[],"seed":${seed}}`;
      expect((await service.chat(body)).status).toBe(200);
      expect(upstream.calls[0]?.body).toBe(body);
    },
  );

  it.each([
    ["seed", '"seed":9223372036854776001'],
    ["seed", '"seed":-9223372036854776001'],
    ["seed", '"seed":1.5'],
    ["seed", '"seed":"1"'],
    ["seed", '"seed":1e400'],
    ["seed", '"se\\u0065d":9223372036854776001'],
    ["truncate_prompt_tokens", '"truncate_prompt_tokens":-2'],
    ["model", '"model":"m2"'],
    ["stream", '"stream":"yes"'],
    ["stream_options", '"stream_options":[]'],
  ])("is refused for %s in %s", async (param, member) => {
    const response = await service.chat(`{"model":"m","messages":[],${member}}`);
    expect(response.status).toBe(400);
    expect(await errorOf(response)).toMatchObject({
      param,
      type: "invalid_request_error",
      code: "invalid_value",
    });
    expect(upstream.calls).toEqual([]);
  });

  it("may truncate to -1 tokens", async () => {
    expect((await service.chat({ ...HELLO, truncate_prompt_tokens: -1 })).status).toBe(200);
  });

  it("may continue the final message, unless it sends both switches as true", async () => {
    expect((await service.chat({ ...HELLO, continue_final_message: true })).status).toBe(200);
    const apart = { continue_final_message: true, add_generation_prompt: false };
    expect((await service.chat({ ...HELLO, ...apart })).status).toBe(200);
    const both = await service.chat({ ...HELLO, continue_final_message: true, add_generation_prompt: true });
    expect(both.status).toBe(400);
    expect((await errorOf(both)).message).toMatch(/continue_final_message.*add_generation_prompt/);
  });

  it.each([undefined, "hi", {}, [1], [{ content: "x" }]])("needs messages, not %j", async (messages) => {
    const response = await service.chat({ model: "m", messages });
    expect(response.status).toBe(400);
    expect((await errorOf(response)).param).toBe("messages");
    expect(upstream.calls).toEqual([]);
  });

  it("needs a model", async () => {
    const response = await service.chat({ messages: [], model: null });
    expect(await errorOf(response)).toMatchObject({ param: "model", code: "missing_required_parameter" });
  });

  it.each([
    ["an array", "[]"],
    ["a string", '"x"'],
    ["nothing", ""],
    ["half an object", '{"model":"m"'],
    ["a byte order mark", `\ufeff${JSON.stringify(HELLO)}`],
  ])("is no JSON object when it is %s", async (_name, body) => {
    const response = await service.chat(body);
    expect(response.status).toBe(400);
    expect((await errorOf(response)).code).toBe("invalid_json");
  });

  it("must be UTF-8", async () => {
    const body = Buffer.concat([
      Buffer.from('{"model":"m","messages":[],"x":"'),
      Buffer.from([0xff]),
      Buffer.from('"}'),
    ]);
    const response = await service.fetch("/v1/chat/completions", {
      method: "POST",
      body,
      headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json" },
    });
    expect((await errorOf(response)).code).toBe("invalid_json");
  });

  it("keeps odd models, stops, tool choices and request ids as they are", async () => {
    upstream.script("wandb-artifact:///e/p/n:step3", replyWith(200, COMPLETION));
    for (const extra of [
      { stop: "x" },
      { stop: ["x", "y"] },
      { tool_choice: "auto" },
      { tool_choice: { type: "function", function: { name: "f" } } },
      { priority: 5 },
      { request_id: "abc" },
    ]) {
      const body = JSON.stringify({ ...HELLO, model: "wandb-artifact:///e/p/n:step3", ...extra });
      expect((await service.chat(body)).status).toBe(200);
      expect(upstream.calls.at(-1)?.body).toBe(body);
      expect(upstream.calls.at(-1)?.headers["x-request-id"]).toBeUndefined();
    }
  });

  it.each([
    ["arrays", "[", "]"],
    ["objects", '{"a":', "}"],
  ])("is refused at once when it is a bomb of %s", async (_name, open, close) => {
    const depth = 1_000_000;
    const body = `{"model":"m","messages":[],"x":${open.repeat(depth)}1${close.repeat(depth)}}`;
    const response = await service.chat(body);
    expect(response.status).toBe(400);
    expect(await errorOf(response)).toMatchObject({
      code: "invalid_json",
      message: expect.stringContaining("256") as unknown,
    });
    expect(upstream.calls).toEqual([]);
  });

  it("with names of prototypes travels unchanged and pollutes nothing", async () => {
    const body =
      '{"model":"m","messages":[],"__proto__":{"stream":true},"constructor":{"prototype":{"polluted":1}}}';
    expect(await (await service.chat(body)).text()).toBe(COMPLETION);
    expect(upstream.calls[0]?.body).toBe(body);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect((await service.chat('{"__proto__":{"model":"m","messages":[]}}')).status).toBe(400);
  });

  it("has a member renamed in place where the upstream wants another name", async () => {
    const response = await service.chat('{"model":"m","messages":[], "r\\u0065named" : {"a":1.0}, "z":"é"}');
    expect(response.status).toBe(200);
    expect(upstream.calls[0]?.body).toBe('{"model":"m","messages":[], "xargs" : {"a":1.0}, "z":"é"}');
    const both = await service.chat('{"model":"m","messages":[],"renamed":{},"xargs":{}}');
    expect(both.status).toBe(400);
  });

  it("for an unknown model gets the upstream's own 404", async () => {
    const response = await service.chat({ ...HELLO, model: "nobody" });
    expect(response.status).toBe(404);
    expect(await response.text()).toBe(
      '{"error":{"message":"no such model","type":"NotFoundError","code":404}}',
    );
  });

  it("is counted once, with its tokens", async () => {
    service.usage.length = 0;
    await service.chat(HELLO, { headers: { "acme-project": "acme/qa" } });
    expect(service.usage).toMatchObject([
      {
        user: "ann",
        project: "acme/qa",
        model: "m",
        status: 200,
        streamed: false,
        outcome: "ok",
        promptTokens: 3,
        completionTokens: 2,
        cachedTokens: null,
        firstTokenMs: null,
      },
    ]);
  });
});
