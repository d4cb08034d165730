import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startService, type TestService } from "../http/running-service.ts";
import { until } from "../support/until.ts";
import { COMPLETION, pause, replyWith, startUpstream, type ScriptedUpstream } from "./scripted-upstream.ts";

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

  it("keeps odd models, stops and tool choices as they are", async () => {
    upstream.script("wandb-artifact:///e/p/n:step3", replyWith(200, COMPLETION));
    for (const extra of [{ stop: "x" }, { stop: ["x", "y"] }, { tool_choice: "auto" }, { priority: 5 }]) {
      const body = JSON.stringify({ ...HELLO, model: "wandb-artifact:///e/p/n:step3", ...extra });
      expect((await service.chat(body)).status).toBe(200);
      expect(upstream.calls.at(-1)?.body).toBe(body);
    }
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

describe("what goes wrong upstream", () => {
  it.each([
    [400, '{"error":{"message":"bad seed","type":"Bad Request","param":"body.seed","code":400}}'],
    [404, '{"error":{"message":"no model","type":"NotFoundError","param":"model","code":404}}'],
    [500, '{"error":{"message":"boom","type":"x","param":null,"code":null}}'],
  ])("keeps the status %i and an error object as it is", async (status, body) => {
    upstream.script("refusing", replyWith(status, body));
    const response = await service.chat({ ...HELLO, model: "refusing" });
    expect(response.status).toBe(status);
    expect(await response.text()).toBe(body);
    expect(upstream.calls).toHaveLength(1);
  });

  it.each([
    [
      422,
      '{"detail":[{"loc":["body","seed"],"msg":"too big","type":"x","input":"secret"}]}',
      "body.seed: too big",
    ],
    [422, '{"detail":"not so"}', "not so"],
    [502, "<html>nginx 10.0.0.1</html>", "Upstream error (502)"],
    [500, "", "Upstream error (500)"],
    [402, '{"error":"pay"}', "pay"],
  ])("wraps a %i without an error object", async (status, body, message) => {
    upstream.script("refusing", replyWith(status, body));
    const response = await service.chat({ ...HELLO, model: "refusing" });
    expect(response.status).toBe(status);
    expect((await errorOf(response)).message).toBe(message);
  });

  it.each([401, 403])("takes a %i of the upstream for its own fault", async (status) => {
    upstream.script("refusing", replyWith(status, '{"error":"Unauthorized"}'));
    const response = await service.chat({ ...HELLO, model: "refusing" });
    expect(response.status).toBe(502);
    expect((await errorOf(response)).code).toBe("upstream_auth");
  });

  it("passes 429 and Retry-After on", async () => {
    const body = '{"error":{"message":"slow down","type":"rate","param":null,"code":"rate_limit_exceeded"}}';
    upstream.script(
      "busy",
      replyWith(429, body, { "retry-after": "1", "set-cookie": "a=b", "keep-alive": "timeout=9" }),
    );
    const response = await service.chat({ ...HELLO, model: "busy" });
    expect(response.status).toBe(429);
    expect(response.headers.get("retry-after")).toBe("1");
    expect(response.headers.get("set-cookie")).toBeNull();
    expect(response.headers.get("keep-alive")).not.toBe("timeout=9");
  });

  it("answers 502, not to be tried again, when the upstream hangs up", async () => {
    upstream.script("hanging-up", (response) => void response.destroy());
    const response = await service.chat({ ...HELLO, model: "hanging-up" });
    expect(response.status).toBe(502);
    expect(response.headers.get("x-should-retry")).toBe("false");
    expect((await errorOf(response)).code).toBe("upstream_error");
    expect(upstream.calls).toHaveLength(1);
  });

  it("answers 502 when a reply is cut short", async () => {
    upstream.script("short", async (response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
      response.write("{");
      await pause(10);
      response.destroy();
    });
    expect((await service.chat({ ...HELLO, model: "short" })).status).toBe(502);
  });

  it("answers 504 after the time for headers, and lets go of the upstream", async () => {
    upstream.script("silent", () => {});
    const impatient = await startService({
      inference: { upstreams: [{ base_url: upstream.url }], timeouts: { headers_ms: 100 } },
    });
    const response = await impatient.chat({ ...HELLO, model: "silent" });
    expect(response.status).toBe(504);
    expect(response.headers.get("x-should-retry")).toBe("false");
    expect((await errorOf(response)).code).toBe("upstream_timeout");
    expect(await upstream.calls[0]?.cutOff).toBe(true);
    await impatient.stop();
  });

  it("unpacks a reply that is compressed unasked", async () => {
    upstream.script("zipped", replyWith(200, gzipSync(COMPLETION), { "content-encoding": "gzip" }));
    const response = await service.chat({ ...HELLO, model: "zipped" });
    expect(response.headers.get("content-encoding")).toBeNull();
    expect(await response.text()).toBe(COMPLETION);
  });

  it("says that it cannot reach an upstream that is down", async () => {
    const down = await startService({ inference: { upstreams: [{ base_url: "http://127.0.0.1:9/v1" }] } });
    const headers = { authorization: `Bearer ${down.key}` };
    for (const response of [await down.chat(HELLO), await down.fetch("/v1/models", { headers })]) {
      expect(response.status).toBe(502);
      expect(response.headers.get("x-should-retry")).toBe("true");
      const text = await response.text();
      expect(text).toContain("upstream_unreachable");
      expect(text).not.toContain("127.0.0.1");
    }
    await down.stop();
  });
});

describe("a client that goes away", () => {
  it("has its request ended upstream, and counted as aborted", async () => {
    upstream.script("waiting", () => {});
    service.usage.length = 0;
    const controller = new AbortController();
    const reply = service.chat({ ...HELLO, model: "waiting" }, { signal: controller.signal });
    await until(() => upstream.calls.length > 0);
    controller.abort();
    await expect(reply).rejects.toThrow("aborted");
    expect(await upstream.calls[0]?.cutOff).toBe(true);
    await until(() => service.usage.length > 0);
    expect(service.usage[0]).toMatchObject({ outcome: "aborted", status: 499 });
  });
});

describe("places for requests under way", () => {
  it("are limited for each project, and freed when clients go", async () => {
    upstream.script("slow", () => {});
    const controller = new AbortController();
    const init = { signal: controller.signal, headers: { "openai-project": "acme/slow" } };
    const slow = { ...HELLO, model: "slow" };
    const waiting = Promise.allSettled([1, 2, 3].map(() => service.chat(slow, init)));
    await until(() => upstream.calls.length === 3);
    const refused = await service.chat(slow, { headers: { "openai-project": "acme/slow" } });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await errorOf(refused)).code).toBe("rate_limit_exceeded");
    expect((await service.chat(HELLO, { headers: { "openai-project": "acme/other" } })).status).toBe(200);
    controller.abort();
    await waiting;
    const again = () => service.chat(HELLO, { headers: { "openai-project": "acme/slow" } });
    await until(async () => (await again()).status === 200);
  });
});
