import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { startService, type TestService } from "../http/running-service.ts";
import { settle, until } from "../support/until.ts";
import {
  delta,
  DONE,
  finish,
  startUpstream,
  steppedStream,
  type ScriptedUpstream,
} from "./scripted-upstream.ts";

const HEADERS_MS = 30_000;
const IDLE_MS = 60_000;
const KEEP_ALIVE_MS = 15_000;

let upstream: ScriptedUpstream;
let service: TestService;

beforeEach(async () => {
  upstream = await startUpstream();
  service = await startService({
    inference: {
      upstreams: [{ base_url: upstream.url }],
      timeouts: { headers_ms: HEADERS_MS, idle_ms: IDLE_MS },
      keep_alive_ms: KEEP_ALIVE_MS,
    },
  });
  // Time passes only where a test says so. Sockets and what they bring are real.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});

afterEach(async () => {
  vi.useRealTimers();
  await service.stop();
  await upstream.close();
});

const ask = (stream: boolean) => service.chat({ model: "m", messages: [], stream });

/** Collects what comes of a stream. */
function collect(response: Response): { text: string; readonly ended: Promise<void> } {
  const seen = { text: "", ended: Promise.resolve() };
  const read = async () => {
    for await (const piece of response.body ?? []) seen.text += Buffer.from(piece).toString();
  };
  seen.ended = read();
  return seen;
}

it("before the headers is answered with 504 after their time, and lets go of the upstream", async () => {
  upstream.script("m", () => {});
  const reply = ask(false);
  await until("the request comes upstream", () => upstream.calls.length > 0);
  vi.advanceTimersByTime(HEADERS_MS);
  const response = await reply;
  expect(response.status).toBe(504);
  expect(response.headers.get("x-should-retry")).toBe("false");
  expect(await response.json()).toMatchObject({ error: { code: "upstream_timeout" } });
  expect(await upstream.calls[0]?.cutOff).toBe(true);
});

it("in a stream ends it with an error after the idle time, and not before", async () => {
  const { script, send } = steppedStream();
  upstream.script("m", script);
  const seen = collect(await ask(true));
  send(delta("a"));
  await until("the event", () => seen.text.includes(delta("a")));
  vi.advanceTimersByTime(IDLE_MS - 1);
  await settle();
  expect(seen.text).not.toContain("error");
  vi.advanceTimersByTime(1);
  await seen.ended;
  expect(seen.text.startsWith(delta("a"))).toBe(true);
  expect(seen.text).toContain('"code":"upstream_timeout"');
  expect(seen.text.endsWith(`\n\n${DONE}`)).toBe(true);
  expect(await upstream.calls[0]?.cutOff).toBe(true);
});

it("is filled with comments, but only between events", async () => {
  const { script, send, end } = steppedStream();
  upstream.script("m", script);
  const seen = collect(await ask(true));
  const halves = [delta("a"), delta("b").slice(0, 30), delta("b").slice(30), finish()];
  const comments = () => seen.text.split(": keep-alive\n").length - 1;
  for (const half of halves) {
    send(half);
    await settle();
    const before = comments();
    vi.advanceTimersByTime(2 * KEEP_ALIVE_MS);
    await until("two comments", () => comments() === before + 2);
  }
  send(DONE);
  end();
  await seen.ended;
  expect(seen.text.replaceAll(": keep-alive\n", "")).toBe(halves.join("") + DONE);
  const lines = seen.text.split("\n").filter((line) => line !== "");
  expect(lines.every((line) => line === ": keep-alive" || line.startsWith("data: "))).toBe(true);
});
