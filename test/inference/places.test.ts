import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startService, type TestService } from "../http/running-service.ts";
import { until } from "../support/until.ts";
import { COMPLETION, replyWith, startUpstream, type ScriptedUpstream } from "./scripted-upstream.ts";

let upstream: ScriptedUpstream;
let service: TestService;

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.script("m", replyWith(200, COMPLETION));
  service = await startService({
    inference: { upstreams: [{ base_url: upstream.url }], max_concurrent_per_project: 3 },
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

describe("a client that goes away", () => {
  it("has its request ended upstream, and counted as aborted", async () => {
    upstream.script("waiting", () => {});
    service.usage.length = 0;
    const controller = new AbortController();
    const reply = service.chat({ ...HELLO, model: "waiting" }, { signal: controller.signal });
    await until("the request comes upstream", () => upstream.calls.length > 0);
    controller.abort();
    await expect(reply).rejects.toThrow("aborted");
    expect(await upstream.calls[0]?.cutOff).toBe(true);
    await until("the request is counted", () => service.usage.length > 0);
    expect(service.usage[0]).toMatchObject({ outcome: "aborted", status: 499 });
    await until("the request is logged", () =>
      service.log.some((line) => line.includes('"outcome":"aborted"')),
    );
    expect(service.log.join("")).not.toContain("internal error");
  });
});

describe("places for requests under way", () => {
  it("are limited for each project, and freed when clients go", async () => {
    upstream.script("slow", () => {});
    const controller = new AbortController();
    const init = { signal: controller.signal, headers: { "openai-project": "acme/slow" } };
    const slow = { ...HELLO, model: "slow" };
    const waiting = Promise.allSettled([1, 2, 3].map(() => service.chat(slow, init)));
    await until("three requests come upstream", () => upstream.calls.length === 3);
    const refused = await service.chat(slow, { headers: { "openai-project": "acme/slow" } });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await errorOf(refused)).code).toBe("rate_limit_exceeded");
    expect((await service.chat(HELLO, { headers: { "openai-project": "acme/other" } })).status).toBe(200);
    controller.abort();
    await waiting;
    const again = () => service.chat(HELLO, { headers: { "openai-project": "acme/slow" } });
    await until("a place is free", async () => (await again()).status === 200);
  });
});

describe("thirty-two slow requests of a project that may have thirty", () => {
  it("leave two refused with a Retry-After, and free their places when they are aborted", async () => {
    const full = await startService({
      inference: { upstreams: [{ base_url: upstream.url }], max_concurrent_per_project: 30 },
    });
    upstream.script("slow", () => {});
    const controller = new AbortController();
    const statuses: number[] = [];
    const slow = async () => {
      const response = await full.chat({ ...HELLO, model: "slow" }, { signal: controller.signal });
      expect(response.headers.get("retry-after")).toBe("1");
      statuses.push(response.status);
    };
    const all = Promise.allSettled(Array.from({ length: 32 }, slow));
    await until(
      "two are refused and thirty come upstream",
      () => statuses.length === 2 && upstream.calls.length === 30,
    );
    expect(statuses).toEqual([429, 429]);
    controller.abort();
    await all;
    await until("a place is free", async () => (await full.chat(HELLO)).status === 200);
    await full.stop();
  });
});
