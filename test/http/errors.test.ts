import { EventEmitter, once } from "node:events";
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RequestError, StoreError, UnsupportedError } from "../../src/errors.ts";
import {
  COMPLETION,
  replyWith,
  startUpstream,
  type ScriptedUpstream,
} from "../inference/scripted-upstream.ts";
import { basic, startService, type TestService } from "./running-service.ts";

let upstream: ScriptedUpstream;
let service: TestService;
const requests: unknown[] = [];

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.script("m", replyWith(200, COMPLETION));
  service = await startService({
    inference: { upstreams: [{ base_url: upstream.url }] },
    limits: { chat: 1024, training: 4096, other: 2048 },
    async *query(projectId, body) {
      requests.push([projectId, body]);
      const { fail } = body as { fail?: string };
      const issue = { loc: ["sort_by", 0, "mode"], msg: "no", type: "x" };
      if (fail === "schema") throw new RequestError("schema", [issue]);
      if (fail === "meaning") throw new RequestError("meaning", [issue]);
      if (fail === "unsupported") throw new UnsupportedError("sql", "sql is not offered on ClickHouse");
      if (fail === "unreachable")
        throw new StoreError("unreachable", "https://ch.example: there is no answer");
      if (fail === "memory") throw new StoreError("out_of_memory", "password=hunter2");
      if (fail === "server memory") throw new StoreError("memory_limit", "password=hunter2");
      if (fail === "database") throw new StoreError("query_failed", "password=hunter2");
      if (fail === "fault") throw new Error("password=hunter2");
      yield '{"rows":[],"total_rows":0}';
    },
  });
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
});

function query(body: unknown, path = "/v2/acme/qa/eval_results/query", headers: Record<string, string> = {}) {
  return service.fetch(path, {
    method: "POST",
    body:
      typeof body === "string" ? body : body instanceof Uint8Array ? Buffer.from(body) : JSON.stringify(body),
    headers: { authorization: basic(service.key), "content-type": "application/json", ...headers },
  });
}

it.each(["memory", "server memory"])(
  "answers want of %s of the database with 507 and what to do",
  async (fail) => {
    const response = await query({ fail });
    const { reason, ...rest } = (await response.json()) as { readonly reason: string };
    expect([response.status, rest]).toEqual([507, { code: "out_of_memory" }]);
    expect(reason).toMatch(/out_of_memory.*--memory-limit/);
    expect((await query({ limit: 1 })).status).toBe(200);
  },
);

describe("an evaluation results query", () => {
  it("answers the engine's own bytes", async () => {
    const response = await query({ limit: 1 });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.text()).toBe('{"rows":[],"total_rows":0}');
    expect(requests.at(-1)).toEqual(["acme/qa", { limit: 1 }]);
  });

  it("says where a request is malformed, or that it means nothing", async () => {
    const schema = await query({ fail: "schema" });
    expect(schema.status).toBe(422);
    expect(await schema.json()).toEqual({
      reason: "sort_by[0].mode: no",
      detail: [{ loc: ["body", "sort_by", 0, "mode"], msg: "no", type: "x" }],
    });
    const meaning = await query({ fail: "meaning" });
    expect(meaning.status).toBe(400);
    expect(await meaning.json()).toEqual({ reason: "sort_by[0].mode: no" });
  });

  it("hides faults of the service behind a request id", async () => {
    const response = await query({ fail: "fault" });
    expect(response.status).toBe(500);
    const { reason } = (await response.json()) as { reason: string };
    expect(reason).toContain(response.headers.get("x-request-id"));
    expect(reason).not.toContain("hunter2");
    expect(service.log.join("")).not.toContain("hunter2");
    expect(service.log.some((line) => line.includes("internal error"))).toBe(true);
  });

  it("says what its database does not offer, and of the faults of a database only that there is one", async () => {
    const unsupported = await query({ fail: "unsupported" });
    expect(unsupported.status).toBe(501);
    expect(await unsupported.json()).toEqual({
      reason: "sql is not offered on ClickHouse",
      code: "unsupported_on_backend",
    });
    const unreachable = await query({ fail: "unreachable" });
    expect(unreachable.status).toBe(503);
    expect(await unreachable.text()).not.toContain("ch.example");
    const database = await query({ fail: "database" });
    expect(database.status).toBe(500);
    expect(await database.json()).toEqual({
      reason: `The database of the service failed at this request (request ${database.headers.get("x-request-id")}).`,
    });
    expect(service.log.join("")).not.toContain("hunter2");
  });

  it.each([
    ["half a document", '{"a":'],
    ["nothing", ""],
    ["a byte order mark", "\ufeff{}"],
    ["bytes that are not UTF-8", Buffer.from([0x22, 0xff, 0x22])],
    ["a thousand levels", "[".repeat(1000) + "]".repeat(1000)],
  ])("is refused with 400 as %s", async (_name, body) => {
    const response = await query(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ reason: expect.any(String) as unknown });
  });

  it("is ended when its client goes away", async () => {
    const engine = new EventEmitter();
    const asked = once(engine, "asked");
    const ended = once(engine, "aborted");
    const waiting = await startService({
      query: async function* (_project, _body, options) {
        engine.emit("asked");
        yield await new Promise<string>((_resolve, reject) => {
          options?.signal?.addEventListener("abort", () => {
            engine.emit("aborted");
            reject(new Error("aborted"));
          });
        });
      },
    });
    const controller = new AbortController();
    const answer = waiting.fetch("/v2/acme/qa/eval_results/query", {
      method: "POST",
      body: "{}",
      signal: controller.signal,
      headers: { authorization: basic(waiting.key), "content-type": "application/json" },
    });
    await asked;
    controller.abort();
    await expect(answer).rejects.toThrow("aborted");
    await ended;
    await waiting.stop();
    expect(waiting.log.join("")).not.toContain("internal error");
  });
});

describe("paths and methods", () => {
  it.each([
    ["GET", "/nothing", 404],
    ["GET", "/", 404],
    ["POST", "/v2/acme/qa/eval_results", 404],
    ["POST", "/v2/acme%2Fqa/x/eval_results/query", 404],
    ["POST", "/v2/acme/%09/eval_results/query", 404],
    ["POST", "/v2/acme/%00/eval_results/query", 404],
    ["POST", "/v2/acme/../../etc/eval_results/query", 404],
    ["GET", "/v2/acme/qa/eval_results/query", 405],
    ["DELETE", "/feedback/create", 405],
    ["POST", "/healthz", 405],
  ])("%s %s is a %i", async (method, path, status) => {
    const response = await service.fetch(path, { method, headers: { authorization: basic(service.key) } });
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ reason: expect.any(String) as unknown });
    expect(response.headers.get("allow")).toBe(
      status === 405 ? (path === "/healthz" ? "GET" : "POST") : null,
    );
  });

  it.each([
    ["GET", "/v1/chat/completions", 405, "POST"],
    ["POST", "/v1/models", 405, "GET"],
    ["GET", "/v1/models/a%2Fb", 404, null],
    ["GET", "/v1/preview/models/a%2Fb/checkpoints", 404, null],
    ["GET", "/v1/preview/models/a%00b/checkpoints", 404, null],
    ["GET", "/v1", 404, null],
  ])("%s %s is a %i in the envelope of /v1", async (method, path, status, allow) => {
    const response = await service.fetch(path, {
      method,
      headers: { authorization: `Bearer ${service.key}` },
    });
    expect(response.status).toBe(status);
    expect(response.headers.get("allow")).toBe(allow);
    expect(await response.json()).toEqual({
      error: {
        message: expect.any(String) as unknown,
        type: expect.any(String) as unknown,
        param: null,
        code: expect.any(String) as unknown,
      },
    });
  });

  it("health and description are for anybody", async () => {
    expect(await (await service.fetch("/healthz")).json()).toEqual({ status: "ok" });
    expect((await service.fetch("/healthz", { method: "HEAD" })).status).toBe(200);
    expect(((await (await service.fetch("/openapi.json")).json()) as { openapi: string }).openapi).toMatch(
      /^3\.1/,
    );
  });

  it("may begin below a base path", async () => {
    const based = await startService({ basePath: "/evals/" });
    expect((await based.fetch("/evals/healthz")).status).toBe(200);
    expect((await based.fetch("/healthz")).status).toBe(404);
    expect(await (await based.fetch("/evals/v1/models")).json()).toHaveProperty("error");
    await based.stop();
  });
});

describe("media types", () => {
  it.each([
    [{ "content-type": "text/plain" }, 415],
    [{ "content-type": "application/jsonx" }, 415],
    [{ "content-type": "application/json", "content-encoding": "gzip" }, 415],
    [{ "content-type": "APPLICATION/JSON ; charset=utf-8" }, 200],
  ])("%j: %i", async (headers, status) => {
    expect((await query({}, undefined, headers as Record<string, string>)).status).toBe(status);
    const chat = await service.chat({ model: "m", messages: [] }, { headers });
    expect(chat.status).toBe(status);
  });

  it("do not matter to a request without body", async () => {
    const headers = { authorization: `Bearer ${service.key}`, "content-type": "application/json" };
    expect((await service.fetch("/v1/models", { headers })).status).toBe(200);
  });
});

describe("bodies that are too large", () => {
  it("are refused before they are read when their length is announced", async () => {
    const response = await service.chat({ model: "m", messages: [], pad: "x".repeat(100_000) });
    expect(response.status).toBe(413);
    expect(response.headers.get("connection")).toBe("close");
    expect(await response.json()).toMatchObject({ error: { code: "request_too_large" } });
    expect((await query({ pad: "x".repeat(10_000) })).status).toBe(413);
  });

  it("are refused in the middle of the upload when it is not", async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const call = request(`${service.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json" },
      });
      let isAnswered = false;
      const write = () => {
        if (!isAnswered) call.write("x".repeat(512), () => setImmediate(write));
      };
      write();
      call.on("response", (response) => {
        isAnswered = true;
        response.resume();
        resolve(response.statusCode);
        call.destroy();
      });
      call.on("error", reject);
    });
    expect(status).toBe(413);
  });

  it("may be as large as the limit", async () => {
    const body = JSON.stringify({ model: "m", messages: [] }).padEnd(1024);
    expect((await service.chat(body)).status).toBe(200);
    expect((await service.chat(`${body} `)).status).toBe(413);
  });
});

async function idOf(id: string): Promise<string | null> {
  return (await service.fetch("/healthz", { headers: { "x-request-id": id } })).headers.get("x-request-id");
}

describe("request ids", () => {
  it("are taken over when they are harmless, and made otherwise", async () => {
    expect(await idOf("abc-1")).toBe("abc-1");
    expect(await idOf("a b")).not.toBe("a b");
    expect(await idOf("x".repeat(2048))).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("names of prototypes in a body", () => {
  it("do not pollute prototypes", async () => {
    await query('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');
    await service.chat('{"model":"m","messages":[],"__proto__":{"stream":true}}');
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe("the log", () => {
  it("has one line a request, and no secrets", async () => {
    service.log.length = 0;
    const salt = "salt-4711";
    await service.chat({
      model: "m",
      messages: [{ role: "user", content: "prompt-4711" }],
      cache_salt: salt,
    });
    const refused = await service.chat({ model: "m", messages: [], seed: 1.5, cache_salt: salt });
    expect(await refused.text()).not.toContain(salt);
    await service.fetch("/v1/models?key=4711", { headers: { authorization: `Bearer ${service.key}x` } });
    const lines = service.log.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ method, route, status }) => [method, route, status])).toEqual([
      ["POST", "/v1/chat/completions", 200],
      ["POST", "/v1/chat/completions", 400],
      ["GET", "/v1/models", 401],
    ]);
    expect(lines[0]).toMatchObject({
      outcome: "ok",
      bytes_in: expect.any(Number) as unknown,
      key: expect.any(String) as unknown,
    });
    for (const secret of [service.key, salt, "4711", upstream.url])
      expect(service.log.join("")).not.toContain(secret);
  });
});
