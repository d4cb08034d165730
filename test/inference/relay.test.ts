import { PassThrough } from "node:stream";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ENDPOINTS } from "../../src/inference/reply/endpoints.ts";
import { CompletionRelay, type RelayOptions } from "../../src/inference/reply/relay.ts";
import { settle } from "../support/until.ts";
import { delta, DONE, finish } from "./scripted-upstream.ts";

const OPTIONS: RelayOptions = {
  endpoint: ENDPOINTS.chat,
  choices: 1,
  idleMs: 0,
  keepAliveMs: 0,
  onEnd: () => {},
};

/** Everything, until the stream ends. */
async function textOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const piece of stream) text += Buffer.from(piece).toString();
  return text;
}

/** Timers that only `vi.advanceTimersByTime` moves, until the test ends. */
function stopTime(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
}

describe("a relay", () => {
  it("ends at [DONE] while the upstream's reply is still open, and then lets go of that", async () => {
    const source = new PassThrough();
    const { stream } = new CompletionRelay(source, OPTIONS);
    source.write(delta("a") + finish() + DONE);
    expect(await textOf(stream)).toBe(delta("a") + finish() + DONE);
    expect(source.closed).toBe(false);
    await new Promise((resolve) => source.once("close", resolve));
  });

  it("takes from the upstream only what its reader takes", async () => {
    const source = new PassThrough({ highWaterMark: 1 });
    const { stream } = new CompletionRelay(source, OPTIONS);
    const reader = stream.getReader();
    for (const letter of ["a", "b", "c", "d", "e", "f", "g", "h"]) source.write(delta(letter));
    for (const letter of ["a", "b", "c"]) {
      expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe(delta(letter));
      await settle();
    }
    // One event lies in the stream, one in each half of the PassThrough.
    expect(source.writableLength).toBeGreaterThanOrEqual(2 * delta("g").length);
    await reader.cancel();
  });

  it("breaks off when its reader takes nothing for as long as the upstream may be silent", async () => {
    stopTime();
    const source = new PassThrough();
    const outcomes: string[] = [];
    const onEnd: RelayOptions["onEnd"] = (outcome) => void outcomes.push(outcome);
    const { stream, ended } = new CompletionRelay(source, { ...OPTIONS, idleMs: 60_000, onEnd });
    const reader = stream.getReader();
    source.write(delta("a"));
    await reader.read();
    source.write(delta("b"));
    await settle();
    vi.advanceTimersByTime(59_999);
    expect(outcomes).toEqual([]);
    vi.advanceTimersByTime(1);
    expect((await ended).outcome).toBe("aborted");
    expect(outcomes).toEqual(["aborted"]);
    await expect(reader.read().then(() => reader.read())).rejects.toThrow("takes nothing");
    expect(source.destroyed).toBe(true);
  });

  it("writes no comment into an event that is passed on in parts", async () => {
    stopTime();
    const source = new PassThrough();
    const { stream } = new CompletionRelay(source, { ...OPTIONS, keepAliveMs: 1000 });
    const long = `data: {"x":"${"y".repeat(5 * 1024 * 1024)}`;
    source.write(long);
    const text = textOf(stream);
    await settle();
    vi.advanceTimersByTime(5000);
    source.end(`"}\n\n${DONE}`);
    expect((await text) === `${long}"}\n\n${DONE}`).toBe(true);
  });
});
