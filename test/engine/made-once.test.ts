import { once } from "node:events";
import { expect, it } from "vitest";
import { madeOnce } from "../../src/engine/catalog/asked-once.ts";
import { dawidSkeneSteps } from "../../src/stats/agreement/consensus.ts";

it("what two ask for at the same time is made once", async () => {
  const made = new Map<string, Promise<number>>();
  let count = 0;
  const ask = (key: string) => madeOnce(made, key, () => Promise.resolve(++count));
  expect(await Promise.all([ask("a"), ask("a"), ask("b")])).toEqual([1, 1, 2]);
  expect(await ask("a")).toBe(1);
});

it("who waits for what another one makes has it, also where that one is stopped", async () => {
  const made = new Map<string, Promise<string>>();
  const stopped = new Error("the first has left");
  const gone = new AbortController();
  const first = madeOnce(made, "a", async () => {
    await once(gone.signal, "abort");
    throw stopped;
  });
  const second = madeOnce(made, "a", () => Promise.resolve("made by the second"));
  gone.abort();
  await expect(first).rejects.toBe(stopped);
  expect(await second).toBe("made by the second");
  expect(await madeOnce(made, "a", () => Promise.reject(new Error("asked again")))).toBe(
    "made by the second",
  );
});

it("what fails is kept for nobody", async () => {
  const made = new Map<string, Promise<string>>();
  await expect(madeOnce(made, "a", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await madeOnce(made, "a", () => Promise.resolve("yes"))).toBe("yes");
});

it("raters of many trials are weighed in short pieces, so that others have their turn and it can be stopped", () => {
  const units = Array.from({ length: 50_000 }, (_, i) => [i % 50, (i * 7) % 50, (i * 11 + (i % 3)) % 50]);
  const steps = dawidSkeneSteps(units);
  let pieces = 0;
  // Before the first step, classes are found and units that are rated alike are put together.
  for (let step = steps.next(); step.done !== true; step = steps.next()) pieces++;
  expect(pieces).toBeGreaterThan((2 * units.length) / 1024);
});
