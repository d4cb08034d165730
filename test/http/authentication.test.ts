import { request } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  COMPLETION,
  replyWith,
  startUpstream,
  type ScriptedUpstream,
} from "../inference/scripted-upstream.ts";
import { basic, startService, type TestService } from "./running-service.ts";

let upstream: ScriptedUpstream;
let service: TestService;

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.script("m", replyWith(200, COMPLETION));
  service = await startService({
    inference: {
      upstreams: [{ base_url: upstream.url, forward_project: true }],
      project_header: "ACME-Project",
    },
  });
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
});

const V1 = [
  ["GET", "/v1/models"],
  ["POST", "/v1/chat/completions"],
  ["POST", "/v1/preview/training-jobs"],
  ["GET", "/v1/preview/models/x/checkpoints"],
] as const;
const PLAIN = [
  ["POST", "/feedback/create"],
  ["POST", "/v2/acme/qa/eval_results/query"],
] as const;

describe("the endpoints below /v1", () => {
  it.each(V1)("%s %s want a Bearer key", async (method, path) => {
    for (const authorization of [
      undefined,
      basic(service.key),
      "Bearer wrong",
      "Bearer",
      `Bearer ${service.key} x`,
      "\t",
    ]) {
      const headers = authorization === undefined ? {} : { authorization };
      const response = await service.fetch(path, { method, headers });
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
      expect(response.headers.get("x-request-id")).toBeTruthy();
      expect(await response.json()).toEqual({
        error: expect.objectContaining({
          type: "invalid_request_error",
          code: "invalid_api_key",
          param: null,
        }) as unknown,
      });
    }
    expect(upstream.calls).toEqual([]);
  });

  it("take the scheme in any case", async () => {
    const response = await service.fetch("/v1/models", {
      headers: { authorization: `bearer ${service.key}` },
    });
    expect(response.status).toBe(200);
  });

  it("do not tell which paths exist without a key", async () => {
    expect((await service.fetch("/v1/nothing")).status).toBe(401);
    const response = await service.fetch("/v1/nothing", {
      headers: { authorization: `Bearer ${service.key}` },
    });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { type: "not_found_error", code: "not_found" } });
  });
});

describe("feedback and evaluation results", () => {
  it.each(PLAIN)("%s %s want Basic credentials", async (method, path) => {
    const nobody = [
      undefined,
      `Bearer ${service.key}`,
      "Basic !",
      "Basic YTpi",
      basic(service.key, "bob"),
      basic("wrong"),
    ];
    for (const authorization of nobody) {
      const headers = authorization === undefined ? {} : { authorization };
      const response = await service.fetch(path, { method, headers });
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toMatch(/^Basic /);
      expect(await response.json()).toEqual({ reason: expect.any(String) as unknown });
    }
  });

  it("take the user's name and `api`", async () => {
    for (const user of ["ann", "api"]) {
      const response = await service.fetch("/v2/acme/qa/eval_results/query", {
        method: "POST",
        body: "{}",
        headers: { authorization: basic(service.key, user), "content-type": "application/json" },
      });
      expect(response.status).toBe(200);
    }
  });

  it("keep to the key's projects", async () => {
    const response = await service.fetch("/v2/other/qa/eval_results/query", {
      method: "POST",
      body: "{}",
      headers: { authorization: basic(service.key), "content-type": "application/json" },
    });
    expect(response.status).toBe(403);
    expect(await response.json()).toEqual({ reason: expect.stringContaining("other/qa") as unknown });
  });
});

describe("a wrong key", () => {
  it("is refused before the body has been sent", async () => {
    const answer = await new Promise<{ status: number | undefined; sent: number }>((resolve, reject) => {
      let sent = 0;
      const call = request(`${service.url}/v1/chat/completions`, {
        method: "POST",
        headers: {
          authorization: "Bearer wrong",
          "content-type": "application/json",
          "content-length": 10 << 20,
        },
      });
      call.on("response", (response) => {
        response.resume();
        resolve({ status: response.statusCode, sent });
        call.destroy();
      });
      call.on("error", reject);
      sent += 1024;
      call.write("x".repeat(1024));
    });
    expect(answer).toEqual({ status: 401, sent: 1024 });
  });

  it("is refused before a client that waits for 100 Continue sends anything", async () => {
    const head = [
      "POST /v1/chat/completions HTTP/1.1",
      "Host: x",
      "Authorization: Bearer wrong",
      "Content-Type: application/json",
      "Content-Length: 100",
      "Expect: 100-continue",
    ];
    const send = (lines: string[]) =>
      new Promise<string>((resolve, reject) => {
        const socket = connect(service.port, "127.0.0.1", () =>
          socket.write(`${lines.join("\r\n")}\r\n\r\n`),
        );
        socket.on("data", (data) => {
          resolve(data.toString());
          socket.destroy();
        });
        socket.on("error", reject);
      });
    expect(await send(head)).toMatch(/^HTTP\/1.1 401/);
    expect(await send(head.with(2, `Authorization: Bearer ${service.key}`))).toMatch(/^HTTP\/1.1 100/);
  });
});

function chatFor(headers: Record<string, string>): Promise<Response> {
  return service.chat({ model: "m", messages: [] }, { headers });
}

describe("the project header", () => {
  it("counts the request for a project, under either name, and travels on where that is configured", async () => {
    for (const name of ["OpenAI-Project", "acme-project"]) {
      service.usage.length = 0;
      upstream.calls.length = 0;
      expect((await chatFor({ [name]: "acme/qa" })).status).toBe(200);
      expect(service.usage).toMatchObject([{ project: "acme/qa", user: "ann" }]);
      expect(upstream.calls[0]?.headers["openai-project"]).toBe("acme/qa");
    }
  });

  it.each([["foo"], ["a/b/c"], ["/b"], ["a/"], [""]])("is refused as %j", async (value) => {
    const response = await chatFor({ "openai-project": value });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: "invalid_project" } });
  });

  it("may not contradict itself, nor leave the key's projects", async () => {
    expect((await chatFor({ "openai-project": "acme/a", "acme-project": "acme/b" })).status).toBe(400);
    expect((await chatFor({ "openai-project": "acme/a", "acme-project": "acme/a" })).status).toBe(200);
    const response = await chatFor({ "openai-project": "other/a" });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error: { type: "permission_error", code: null } });
  });
});
