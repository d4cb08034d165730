import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  COMPLETION,
  delta,
  replyWith,
  startUpstream,
  steppedStream,
  type ScriptedUpstream,
} from "../inference/scripted-upstream.ts";
import { until } from "../support/until.ts";
import { basic, startService, type TestService } from "./running-service.ts";

let upstream: ScriptedUpstream;
let service: TestService;

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.script("m", replyWith(200, COMPLETION, { connection: "x-up, close", "x-up": "1", server: "up" }));
  service = await startService({ inference: { upstreams: [{ base_url: upstream.url }] } });
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
});

beforeEach(() => {
  upstream.calls.length = 0;
});

function open(text: string): { readonly socket: Socket; readonly answer: Promise<string> } {
  const socket = connect(service.port, "127.0.0.1");
  const answer = new Promise<string>((resolve) => {
    let received = "";
    socket.on("data", (data: Buffer) => (received += data.toString("latin1")));
    socket.on("error", () => {});
    socket.on("close", () => resolve(received));
  });
  socket.write(text, "latin1");
  return { socket, answer };
}

/** Everything that comes back until the service closes; the request asks for that. */
function raw(...lines: string[]): Promise<string> {
  return open(lines.join("\r\n")).answer;
}

const BODY = '{"model":"m","messages":[]}';

function post(path: string, headers: readonly string[], body: string): string[] {
  return [`POST ${path} HTTP/1.1`, "Host: x", "Connection: close", ...headers, "", body];
}

function chat(headers: readonly string[], body: string): string[] {
  const own = [`Authorization: Bearer ${service.key}`, "Content-Type: application/json"];
  return post("/v1/chat/completions", [...own, ...headers], body);
}

const LENGTH = `Content-Length: ${BODY.length}`;

describe("a request that could mean two things", () => {
  it.each([
    ["two different lengths", [LENGTH, "Content-Length: 3"], BODY],
    ["the same length twice", [LENGTH, LENGTH], BODY],
    ["a list of lengths", [`Content-Length: ${BODY.length}, ${BODY.length}`], BODY],
    ["a length with a sign", [`Content-Length: +${BODY.length}`], BODY],
    ["a length in hexadecimal", ["Content-Length: 0x1b"], BODY],
    ["a length below zero", ["Content-Length: -1"], BODY],
    ["a length and chunks", [LENGTH, "Transfer-Encoding: chunked"], `1b\r\n${BODY}\r\n0\r\n\r\n`],
    ["chunks that are not the last coding", ["Transfer-Encoding: chunked, identity"], BODY],
    ["a coding that nobody knows", ["Transfer-Encoding: xchunked"], `1b\r\n${BODY}\r\n0\r\n\r\n`],
    ["chunks twice over", ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], "0\r\n\r\n"],
    ["a blank before the colon", [LENGTH, "Transfer-Encoding : chunked"], BODY],
    ["a folded header", [LENGTH, "X-A: b", " Transfer-Encoding: chunked"], BODY],
    ["a bare line feed in a header", [LENGTH, "X-A: b\nTransfer-Encoding: chunked"], BODY],
    ["a bare return in a header", [LENGTH, "X-A: b\rTransfer-Encoding: chunked"], BODY],
    ["a NUL in a header", [LENGTH, "X-A: b\0c"], BODY],
    ["a size that is no number", ["Transfer-Encoding: chunked"], `zz\r\n${BODY}\r\n0\r\n\r\n`],
    ["a size beyond 64 bits", ["Transfer-Encoding: chunked"], `fffffffffffffffff\r\n${BODY}\r\n0\r\n\r\n`],
    ["a chunk longer than its size", ["Transfer-Encoding: chunked"], `3\r\n${BODY}\r\n0\r\n\r\n`],
  ])(
    "with %s is refused or read once, and nothing in it becomes a request of its own",
    async (_name, headers, body) => {
      const smuggled = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
      const answer = await raw(...chat(headers, body + smuggled));
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toMatch(/\r\nx-request-id: [0-9a-f-]{36}\r\n/);
      expect(answer).toContain('"error":{"message":"The request is malformed: ');
      expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
      expect(upstream.calls).toEqual([]);
    },
  );

  it("in well-formed chunks of any size is read whole", async () => {
    const chunks = Array.from(BODY, (letter) => `1;a=b\r\n${letter}\r\n`).join("");
    const answer = await raw(...chat(["Transfer-Encoding: chunked"], `${chunks}0\r\nX-Trailer: 1\r\n\r\n`));
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(upstream.calls.map((call) => call.body)).toEqual([BODY]);
  });
});

describe("a malformed request", () => {
  it.each([
    ["no host", "GET /healthz HTTP/1.1\r\n\r\n", 400],
    ["a strange host", "GET /healthz HTTP/1.1\r\nHost: a b/\r\n\r\n", 400],
    ["no HTTP", "hello\r\n\r\n", 400],
    ["a version of the future", "GET /healthz HTTP/9.1\r\nHost: x\r\n\r\n", 400],
    ["a backslash in the path", "GET /v1\\models HTTP/1.1\r\nHost: x\r\n\r\n", 400],
    ["headers of 20 KiB", `GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: ${"a".repeat(20 * 1024)}\r\n\r\n`, 431],
    ["a path of 20 KiB", `GET /${"a".repeat(20 * 1024)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
    ["an expectation", "GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\n\r\n", 417],
  ])("with %s is told so in both families of error bodies, with an id", async (_name, text, status) => {
    const answer = await raw(text);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toMatch(/\r\nx-request-id: [0-9a-f-]{36}\r\n/);
    const body = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4)) as Record<string, unknown>;
    expect(body).toEqual({
      reason: expect.any(String) as unknown,
      error: expect.objectContaining({ type: "invalid_request_error", code: "malformed_request" }) as unknown,
    });
  });

  it("of HTTP/1.0 needs no host, as health checks send it", async () => {
    expect(await raw("GET /healthz HTTP/1.0", "", "")).toMatch(/^HTTP\/1\.1 200 /);
  });

  it.each([
    ["after a good one", ""],
    ["after two good ones", "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"],
  ])("%s on the same connection does not touch the answer under way", async (_name, second) => {
    const { script, send } = steppedStream();
    upstream.script("s", script);
    const body = '{"model":"s","messages":[],"stream":true}';
    const { socket, answer } = open(
      chat([`Content-Length: ${body.length}`], body)
        .filter((line) => line !== "Connection: close")
        .join("\r\n"),
    );
    await until("the request comes upstream", () => upstream.calls.length > 0);
    send(delta("a"));
    await until("the answer begins", () => socket.bytesRead > 0);
    socket.write(`${second}garbage\r\n\r\n`);
    expect((await answer).match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(await answer).not.toContain("malformed");
    expect(await upstream.calls[0]?.cutOff).toBe(true);
  });
});

describe("pipelined requests", () => {
  it("keep their answers where what follows them is no request", async () => {
    const first = chat(["X-Number: 1", LENGTH], BODY).filter((line) => line !== "Connection: close");
    const answer = await raw(...first.slice(0, -1), `${BODY}GARBAGE\r\n\r\n`);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200"]);
    expect(answer.endsWith(COMPLETION)).toBe(true);
  });

  it("are answered in their order, each for itself", async () => {
    const first = post("/v1/chat/completions", ["Content-Length: 2"], "{}").filter(
      (line) => !line.startsWith("Conn"),
    );
    const second = chat([LENGTH], BODY).filter((line) => !line.startsWith("Conn"));
    const third = ["GET /healthz HTTP/1.1", "Host: x", "Connection: close", "", ""];
    const answer = await raw([...first].join("\r\n") + [...second].join("\r\n") + third.join("\r\n"));
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 401", "HTTP/1.1 200", "HTTP/1.1 200"]);
    expect(answer.indexOf('"id": "chatcmpl-1"')).toBeLessThan(answer.indexOf('{"status":"ok"}'));
  });
});

describe("headers between the two sides", () => {
  it("of the client that Connection names do not travel upstream, nor do those that engines obey", async () => {
    const headers = ["X-Foo: 1", "X-Vllm-Priority: 1", "X-Session-ID: s", "Cookie: a=b", LENGTH];
    const lines = chat(headers, BODY).map((line) =>
      line === "Connection: close" ? "Connection: close, x-foo, authorization" : line,
    );
    expect(await raw(...lines)).toMatch(/^HTTP\/1\.1 200 /);
    const sent = Object.keys(upstream.calls[0]?.headers ?? {});
    for (const name of [
      "x-foo",
      "x-vllm-priority",
      "x-session-id",
      "cookie",
      "authorization",
      "x-request-id",
    ])
      expect(sent).not.toContain(name);
  });

  it("of the upstream's connection do not travel back", async () => {
    const answer = await raw(...chat([LENGTH], BODY));
    const head = answer.slice(0, answer.indexOf("\r\n\r\n")).toLowerCase();
    const names = head
      .split("\r\n")
      .slice(1)
      .map((line) => line.split(":")[0]);
    expect(new Set(names)).toEqual(
      new Set(["cache-control", "connection", "content-length", "content-type", "date", "x-request-id"]),
    );
    expect(head).not.toContain("x-up");
  });

  it("that contradict each other are no credentials", async () => {
    const lines = chat([`Authorization: Bearer ${service.key}`, LENGTH], BODY);
    expect(await raw(...lines)).toMatch(/^HTTP\/1\.1 401 /);
  });
});

function authorized(): string[] {
  return [`Authorization: ${basic(service.key)}`, "Content-Type: application/json"];
}

describe("paths and methods that no client sends", () => {
  it.each([
    ["/v2/acme/qa/eval_results/query/../../../../../etc/passwd", 404],
    ["/v2/acme/qa/./eval_results/query", 200],
    ["/v2/acme/%71a/eval_results/query", 200],
    ["/v2/acme/q%2561/eval_results/query", 200],
    ["/v2/acme/..%2fqa/eval_results/query", 404],
    ["/v2/acme%2fqa/x/eval_results/query", 404],
    ["/v2/other%2f..%2facme/qa/eval_results/query", 404],
    ["/v2/acme/%c0%af/eval_results/query", 404],
    ["/v2/acme/%ff/eval_results/query", 404],
    ["/v2/acme/%/eval_results/query", 404],
    ["/v2/acme/qa%00/eval_results/query", 404],
    ["/v2/acme/qa%0d%0aX-A:%20b/eval_results/query", 404],
    ["//v2/acme/qa/eval_results/query", 404],
    ["/V2/acme/qa/eval_results/query", 404],
    ["/v2/acme/qa/eval_results/query/", 404],
    ["/v2/acme/qa/eval_results/query;x", 404],
    ["/v2/acme/qa/eval_results/query?a=../..", 200],
    ["http://elsewhere/v2/acme/qa/eval_results/query", 200],
    ["/v2/__proto__/constructor/eval_results/query", 403],
    ["/v2/*/*/eval_results/query", 403],
    ["/v2/acme/*/eval_results/query", 200],
    ["/v2/acme'; DROP TABLE calls; --/qa/eval_results/query", 400],
    ["/v2/acme'%3B%20DROP%20TABLE%20calls%3B%20--/qa/eval_results/query", 403],
    ["/v2/acme/'%3BDROP/**/TABLE/eval_results/query", 404],
    ["/v2/acme/'%3BDROP%2F%2A/eval_results/query", 404],
    ["*", 400],
    ["", 400],
  ])("POST %s is a %i", async (path, status) => {
    const answer = await raw(...post(path, [...authorized(), "Content-Length: 2"], "{}"));
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toMatch(/\r\nx-request-id: /);
  });

  it.each(["TRACE", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "SEARCH"])(
    "%s is refused with what is allowed",
    async (method) => {
      const lines = [
        `${method} /feedback/create HTTP/1.1`,
        "Host: x",
        "Connection: close",
        ...authorized(),
        "",
        "",
      ];
      const answer = await raw(...lines);
      expect(answer).toMatch(/^HTTP\/1\.1 405 /);
      expect(answer).toMatch(/\r\nallow: POST\r\n/i);
    },
  );

  it.each([
    "Basic",
    "Basic ",
    "Basic ====",
    `Basic ${Buffer.from("api:").toString("base64")}`,
    `Basic ${Buffer.from(":x").toString("base64")}`,
    `Basic ${"A".repeat(8000)}`,
    "Digest username=api",
    "Bearer\tx",
    "Negotiate YII=",
    "basic\u00a0YTpi",
  ])("the credentials %j are none", async (authorization) => {
    const headers = [
      `Authorization: ${authorization}`,
      "Content-Type: application/json",
      "Content-Length: 2",
    ];
    const answer = await raw(...post("/feedback/create", headers, "{}"));
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer).toMatch(/www-authenticate: Basic/i);
  });
});
