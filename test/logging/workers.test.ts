import { createHook } from "node:async_hooks";
import { expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { PROJECT } from "../support/records.ts";

it("an evaluation begins no more workers than it has rows, however many may work at once", async () => {
  const engine = await openEngine({ threads: 1 });
  let promises = 0;
  const counter = createHook({ init: (_id, type) => void (promises += type === "PROMISE" ? 1 : 0) }).enable();
  const run = await engine.evaluate(PROJECT, {
    name: "workers",
    model: "m",
    data: [{ n: 1 }, { n: 2 }],
    task: ({ n }: { n: number }) => n,
    scorers: {},
    maxConcurrency: 100_000,
  });
  counter.disable();
  await engine.close();
  expect(run.trials).toBe(2);
  expect(promises).toBeLessThan(20_000);
});
