import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startService, type TestService } from "../http/running-service.ts";
import {
  COMPLETION,
  delta,
  DONE,
  finish,
  frame,
  pause,
  replyWith,
  startUpstream,
  streamOf,
  type Script,
  type ScriptedUpstream,
} from "./scripted-upstream.ts";

let upstream: ScriptedUpstream;
let service: TestService;

beforeAll(async () => {
  upstream = await startUpstream();
  service = await startService({
    inference: { upstreams: [{ base_url: upstream.url }], timeouts: { idle_ms: 400 } },
  });
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
});

beforeEach(() => {
  upstream.calls.length = 0;
  service.usage.length = 0;
});

const destroy = { ending: (response: { destroy(): unknown }) => void response.destroy() };
const keepOpen = { ending: () => {} };

async function stream(script: Script, extra: Record<string, unknown> = {}, on = service): Promise<Response> {
  upstream.script("s", script);
  return on.chat(
    { model: "s", messages: [], stream: true, ...extra },
    { headers: { accept: "application/json" } },
  );
}

async function textOf(script: Script, extra: Record<string, unknown> = {}): Promise<string> {
  return (await stream(script, extra)).text();
}

/** What an error frame says, and what was delivered before it. */
function splitError(text: string): { before: string; code: unknown } {
  const at = text.lastIndexOf('data: {"error"');
  expect(at).toBeGreaterThanOrEqual(0);
  expect(text.endsWith(`\n\n${DONE}`)).toBe(true);
  const event = text.slice(at + 6, -DONE.length);
  return { before: text.slice(0, at), code: (JSON.parse(event) as { error: { code: unknown } }).error.code };
}

/** The arrival of each piece of a body, in ms since `start`. */
async function arrivals(response: Response, start: number): Promise<{ at: number; text: string }[]> {
  const pieces: { at: number; text: string }[] = [];
  const decoder = new TextDecoder();
  for await (const piece of response.body ?? []) {
    pieces.push({
      at: performance.now() - start,
      text: decoder.decode(piece as Uint8Array, { stream: true }),
    });
  }
  return pieces;
}

describe("a stream", () => {
  it("has its headers long before the first token", async () => {
    const start = performance.now();
    const response = await stream(streamOf([delta("a"), finish(), DONE], { gapMs: 300 }));
    expect(performance.now() - start).toBeLessThan(200);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-cache, no-transform");
    expect(response.headers.get("x-accel-buffering")).toBe("no");
    expect(response.headers.get("content-length")).toBeNull();
    expect(response.headers.get("content-encoding")).toBeNull();
    expect(response.headers.get("x-request-id")).toBeTruthy();
    await response.text();
  });

  it("arrives in the rhythm in which it was sent", async () => {
    const start = performance.now();
    const pieces = await arrivals(
      await stream(streamOf([delta("a"), delta("b"), finish(), DONE], { gapMs: 100 })),
      start,
    );
    expect(pieces).toHaveLength(4);
    const gaps = pieces.map((piece, at) => piece.at - (pieces[at - 1]?.at ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(30);
  });

  it.each([
    [
      "plain",
      [delta("a"), delta("é😀"), finish(), frame({ choices: [], usage: { prompt_tokens: 1 } }), DONE],
    ],
    [
      "CRLF",
      [delta("a").replaceAll("\n", "\r\n"), finish().replaceAll("\n", "\r\n"), "data: [DONE]\r\n\r\n"],
    ],
    ["comments", [": hello\n\n", "id: 7\n", delta("a"), ": x\n", finish(), DONE]],
    [
      "token ids",
      [frame({ prompt_token_ids: [1], choices: [{ index: 0, delta: {}, token_ids: [9] }] }), finish(), DONE],
    ],
    ["two choices", [delta("a", 1), delta("b", 0), finish(1), finish(0), DONE]],
  ])("passes the bytes of %s events on unchanged, however they are cut", async (_name, events) => {
    const bytes = Buffer.from(events.join(""));
    expect(await textOf(streamOf(events))).toBe(bytes.toString());
    const single = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
    expect(await textOf(streamOf(single))).toBe(bytes.toString().replace("[DONE]\r\n\r\n", "[DONE]\n\n"));
  });

  it("ends with [DONE] although the upstream stays open", async () => {
    const start = performance.now();
    const pieces = await arrivals(await stream(streamOf([delta("a"), finish(), DONE], keepOpen)), start);
    expect(performance.now() - start - (pieces.at(-1)?.at ?? 0)).toBeLessThan(50);
    await upstream.calls[0]?.cutOff;
  });

  it("leaves the upstream's connection for the next request", async () => {
    await textOf(streamOf([delta("a"), finish(), DONE]));
    await pause(50);
    const before = new Set(upstream.sockets);
    await textOf(streamOf([delta("a"), finish(), DONE]));
    expect([...upstream.sockets].filter((socket) => before.has(socket)).length).toBeGreaterThan(0);
  });

  it.each(["data: [DONE]", "data: [DONE]\n"])("completes a %j without blank line", async (last) => {
    expect(await textOf(streamOf([delta("a"), finish(), last]))).toBe(delta("a") + finish() + DONE);
  });

  it("completes a last event that lacks only its blank line", async () => {
    expect(await textOf(streamOf([delta("a"), finish().trimEnd()]))).toBe(delta("a") + finish() + DONE);
  });

  it("gets [DONE] when every choice has finished and the upstream ends without it", async () => {
    expect(await textOf(streamOf([delta("a"), finish()]))).toBe(delta("a") + finish() + DONE);
  });

  it("is counted with its tokens and the time of the first", async () => {
    const usage = frame({
      choices: [],
      usage: { prompt_tokens: 4, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 2 } },
    });
    await textOf(streamOf([delta(""), delta("a"), finish(), usage, DONE]));
    expect(service.usage).toMatchObject([
      { streamed: true, outcome: "ok", promptTokens: 4, completionTokens: 1, cachedTokens: 2 },
    ]);
    expect(service.usage[0]?.firstTokenMs).toBeGreaterThan(0);
    expect(service.usage[0]?.firstTokenMs).toBeLessThanOrEqual(service.usage[0]?.latencyMs ?? 0);
  });
});

describe("a stream that the upstream breaks", () => {
  it.each([
    ["after an event", [delta("a")]],
    ["in the middle of an event", [delta("a"), delta("b").slice(0, 40)]],
    ["before any event", []],
    ["before [DONE]", [delta("a"), finish()]],
  ])("%s ends with an error and [DONE]", async (_name, pieces) => {
    const { before, code } = splitError(await textOf(streamOf(pieces, destroy)));
    expect(before).toBe(pieces.filter((piece) => piece.endsWith("\n\n")).join(""));
    expect(code).toBe("upstream_stream_error");
    expect(service.usage).toMatchObject([{ outcome: "failed", status: 200 }]);
  });

  it.each([
    ["no choice has finished", [delta("a")], {}],
    ["one of two requested choices has finished", [delta("a", 0), delta("b", 1), finish(0)], { n: 2 }],
    ["one of two requested choices was never seen", [delta("a", 0), finish(0)], { n: 2 }],
    ["an event is cut", [delta("a"), finish(), delta("b").slice(0, 40)], { n: 2 }],
  ])("by ending although %s ends with an error and [DONE]", async (_name, pieces, extra) => {
    expect(splitError(await textOf(streamOf(pieces), extra)).code).toBe("upstream_stream_error");
  });

  it("with an error of its own has nothing added", async () => {
    const events = [delta("a"), 'data: {"error":{"message":"boom","type":"x","code":500}}\n\n', DONE];
    expect(await textOf(streamOf(events))).toBe(events.join(""));
    expect(service.usage).toMatchObject([{ outcome: "failed" }]);
    expect(await textOf(streamOf(events.slice(0, 2)))).toBe(events.slice(0, 2).join(""));
  });

  it("by silence ends with an error after the idle time", async () => {
    const text = await textOf(streamOf([delta("a")], keepOpen));
    expect(splitError(text)).toEqual({ before: delta("a"), code: "upstream_timeout" });
  });

  it("before it begins is an ordinary error", async () => {
    const body = '{"error":{"message":"bad","type":"x","param":null,"code":400}}';
    const response = await stream(replyWith(400, body));
    expect(response.status).toBe(400);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.text()).toBe(body);
  });

  it("by answering in JSON is a whole answer", async () => {
    const response = await stream(replyWith(200, COMPLETION));
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.text()).toBe(COMPLETION);
  });

  it("in an event that is too long to hold back still ends in an error frame of its own", async () => {
    const long = `data: {"x":"${"y".repeat(5 * 1024 * 1024)}`;
    const { before, code } = splitError(await textOf(streamOf([delta("a"), long])));
    expect(`${delta("a")}${long}`.startsWith(before.slice(0, -2))).toBe(true);
    expect(before.length).toBeGreaterThan(4 * 1024 * 1024);
    expect(before.endsWith("y\n\n")).toBe(true);
    expect(code).toBe("upstream_stream_error");
  });
});

describe("a reader", () => {
  it("that leaves ends the request upstream within 100 ms", async () => {
    const response = await stream(streamOf([delta("a")], keepOpen));
    const reader = response.body?.getReader();
    await reader?.read();
    const left = performance.now();
    await reader?.cancel();
    expect(((await upstream.calls[0]?.cutOff) ?? Infinity) - left).toBeLessThan(100);
    await pause(20);
    expect(service.usage).toMatchObject([{ outcome: "aborted" }]);
  });

  it("that leaves at [DONE] has aborted nothing", async () => {
    const response = await stream(streamOf([delta("a"), finish(), DONE], keepOpen));
    const reader = response.body?.getReader();
    let text = "";
    while (!text.includes("[DONE]")) text += Buffer.from((await reader?.read())?.value ?? []).toString();
    await reader?.cancel();
    await pause(50);
    expect(service.usage).toMatchObject([{ outcome: "ok" }]);
    expect(service.log.at(-1)).toContain('"outcome":"ok"');
  });

  it("that stops reading stops the upstream, within bounded memory", async () => {
    let offered = 0;
    const piece = delta("x".repeat(64 * 1024));
    const response = await stream(async (reply) => {
      reply.writeHead(200, { "content-type": "text/event-stream" });
      while (offered < 100 * 1024 * 1024 && !reply.destroyed) {
        offered += piece.length;
        if (!reply.write(piece))
          await Promise.race([new Promise((go) => reply.once("drain", go)), pause(2000)]);
        if (reply.writableLength > 1024 * 1024) break;
      }
    });
    const reader = response.body?.getReader();
    await reader?.read();
    await pause(500);
    const settled = offered;
    const before = process.memoryUsage().rss;
    await pause(1000);
    expect(offered).toBe(settled);
    expect(offered).toBeLessThan(40 * 1024 * 1024);
    expect(process.memoryUsage().rss - before).toBeLessThan(8 * 1024 * 1024);
    await reader?.cancel();
  });
});

describe("keep-alive comments", () => {
  it("fill silences, but only between events", async () => {
    const patient = await startService({
      inference: { upstreams: [{ base_url: upstream.url }], timeouts: { idle_ms: 5_000 }, keep_alive_ms: 50 },
    });
    const halves = [delta("a"), delta("b").slice(0, 30), delta("b").slice(30), finish(), DONE];
    const response = await stream(streamOf(halves, { gapMs: 130 }), {}, patient);
    const text = await response.text();
    expect(text.replaceAll(": keep-alive\n", "")).toBe(halves.join(""));
    const lines = text.split("\n").filter((line) => line !== "");
    expect(lines.every((line) => line === ": keep-alive" || line.startsWith("data: "))).toBe(true);
    expect(lines.filter((line) => line === ": keep-alive").length).toBeGreaterThan(4);
    await patient.stop();
  });
});

describe("stopping the service", () => {
  it("lets streams finish in time, and ends the others with an error and [DONE]", async () => {
    const stopping = await startService({
      inference: { upstreams: [{ base_url: upstream.url }] },
      graceMs: 300,
    });
    const quick = await stream(streamOf([delta("a"), finish(), DONE], { gapMs: 50 }), {}, stopping);
    const endless = await Promise.all(
      Array.from({ length: 50 }, () => stream(streamOf([delta("a")], keepOpen), {}, stopping)),
    );
    const texts = [quick, ...endless].map((response) => response.text());
    await stopping.stop();
    expect(await texts[0]).toBe(delta("a") + finish() + DONE);
    for (const text of texts.slice(1))
      expect(splitError(await text)).toEqual({ before: delta("a"), code: "overloaded" });
    await expect(stopping.chat({})).rejects.toThrow("fetch failed");
  });
});
