import { expect, it } from "vitest";
import { compareSteps } from "./random-steps.ts";

it("finds the steps that plain code finds, whatever order calls arrive in", async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  expect(await compareSteps(seed, 25), `seed ${seed}`).toBeGreaterThan(0);
});
