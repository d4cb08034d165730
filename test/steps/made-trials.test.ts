import { expect, it } from "vitest";
import { madeTrial } from "./made-trials.ts";

it("numbers the steps of a made trial and its turns, but no frame", () => {
  const { steps } = madeTrial("a", [
    { operation: "invoke_agent" },
    { operation: "execute_tool", name: "search" },
    { operation: "chat" },
    { operation: "execute_tool", name: "read", failed: true },
  ]);
  expect(steps.slice(0, 4).map(({ step, turn }) => [step, turn])).toEqual([
    [null, null],
    [1, 0],
    [2, 1],
    [3, 1],
  ]);
});
