import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { startService, type TestService, type TestServiceOptions } from "../http/running-service.ts";
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
  type Script,
  type ScriptedUpstream,
} from "./scripted-upstream.ts";

let upstream: ScriptedUpstream;
let service: TestService;

beforeAll(async () => {
  upstream = await startUpstream();
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

/** A service of its own over the same upstream. */
async function another(
  inference: NonNullable<TestServiceOptions["inference"]>,
  options: TestServiceOptions = {},
): Promise<TestService> {
  const one = await startService({
    ...options,
    inference: { upstreams: [{ base_url: upstream.url }], ...inference },
  });
  onTestFinished(() => one.stop());
  return one;
}

type BodyReader = ReadableStreamDefaultReader<Uint8Array>;

function readerOf(response: Response): BodyReader {
  if (response.body === null) throw new Error("no body");
  return response.body.getReader();
}

/** Reads until this has come, and gives everything that has. */
async function readUntil(reader: BodyReader, awaited: string): Promise<string> {
  let text = "";
  while (!text.includes(awaited)) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`ended before ${awaited} came`);
    text += Buffer.from(value).toString();
  }
  return text;
}

describe("a stream", () => {
  it("has its headers before the upstream has sent a token", async () => {
    const { script, send, end } = steppedStream();
    const response = await stream(script);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-cache, no-transform");
    expect(response.headers.get("x-accel-buffering")).toBe("no");
    expect(response.headers.get("content-length")).toBeNull();
    expect(response.headers.get("content-encoding")).toBeNull();
    expect(response.headers.get("x-request-id")).toBeTruthy();
    send(finish() + DONE);
    end();
    await response.text();
  });

  it("brings each event before the upstream sends the next", async () => {
    const { script, send, end } = steppedStream();
    const reader = readerOf(await stream(script));
    for (const event of [delta("a"), delta("b"), finish(), DONE]) {
      send(event);
      expect(await readUntil(reader, event)).toBe(event);
    }
    end();
    expect((await reader.read()).done).toBe(true);
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
    [
      "log probabilities",
      [
        frame({
          choices: [
            { index: 0, delta: { content: "a" }, logprobs: { content: [{ token: "a", logprob: -0.5 }] } },
          ],
        }),
        finish(),
        DONE,
      ],
    ],
    ["two choices", [delta("a", 1), delta("b", 0), finish(1), finish(0), DONE]],
  ])("passes the bytes of %s events on unchanged, however they are cut", async (_name, events) => {
    const bytes = Buffer.from(events.join(""));
    expect(await textOf(streamOf(events))).toBe(bytes.toString());
    const single = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
    expect(await textOf(streamOf(single))).toBe(bytes.toString().replace("[DONE]\r\n\r\n", "[DONE]\n\n"));
  });

  it("ends with [DONE] although the upstream stays open", async () => {
    expect(await textOf(streamOf([delta("a"), finish(), DONE], keepOpen))).toBe(delta("a") + finish() + DONE);
    expect(await upstream.calls[0]?.cutOff).toBe(true);
  });

  it("leaves the upstream's connection for the next request", async () => {
    const events = delta("a") + finish() + DONE;
    const script = replyWith(200, events, { "content-type": "text/event-stream" });
    await until("a request that goes over a connection of an earlier one", async () => {
      expect(await textOf(script)).toBe(events);
      return new Set(upstream.calls.map(({ socket }) => socket)).size < upstream.calls.length;
    });
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
  it("that leaves ends the request upstream", async () => {
    const reader = readerOf(await stream(streamOf([delta("a")], keepOpen)));
    await reader.read();
    await reader.cancel();
    expect(await upstream.calls[0]?.cutOff).toBe(true);
    await until("the request is counted", () => service.usage.length > 0);
    expect(service.usage).toMatchObject([{ outcome: "aborted" }]);
    await until("the connection upstream closes", () => upstream.calls[0]?.socket.destroyed === true);
  });

  it("that leaves at [DONE] has aborted nothing", async () => {
    const reader = readerOf(await stream(streamOf([delta("a"), finish(), DONE], keepOpen)));
    await readUntil(reader, "[DONE]");
    await reader.cancel();
    await until("the request is counted", () => service.usage.length > 0);
    expect(service.usage).toMatchObject([{ outcome: "ok" }]);
    expect(service.log.at(-1)).toContain('"outcome":"ok"');
  });
});

describe("stopping the service", () => {
  it("lets streams finish within the time of grace", async () => {
    const stopping = await another({}, { graceMs: 600_000 });
    const { script, send, end } = steppedStream();
    const response = await stream(script, {}, stopping);
    const stopped = stopping.stop();
    await until("the service accepts nothing more", () =>
      stopping.chat({}).then(
        () => false,
        () => true,
      ),
    );
    send(delta("a") + finish() + DONE);
    end();
    expect(await response.text()).toBe(delta("a") + finish() + DONE);
    await stopped;
  });

  it("ends two hundred streams that do not finish with an error and [DONE]", async () => {
    const stopping = await another({}, { graceMs: 0 });
    const readers = await Promise.all(
      Array.from({ length: 200 }, async () =>
        readerOf(await stream(streamOf([delta("a")], keepOpen), {}, stopping)),
      ),
    );
    const begun = await Promise.all(readers.map((reader) => readUntil(reader, delta("a"))));
    const stopped = stopping.stop();
    const rest = await Promise.all(readers.map((reader) => readUntil(reader, DONE)));
    await stopped;
    for (const [at, text] of rest.entries()) {
      expect(splitError(`${begun[at]}${text}`)).toEqual({ before: delta("a"), code: "overloaded" });
      expect(await readers[at]?.read()).toMatchObject({ done: true });
    }
  });
});
