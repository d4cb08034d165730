import { expect, it } from "vitest";
import { confidenceLevel } from "../../src/model/arguments.ts";

it("a level so near to 0 or 1 that a correction would round it to 0 or 1 is refused", () => {
  expect([5e-324, 1e-17, 1 - 2 ** -53, 0, 1].filter(isTaken)).toEqual([]);
  expect([1e-9, 0.5, 0.95, 0.999999].map(isTaken)).toEqual([true, true, true, true]);
});

function isTaken(level: number): boolean {
  return confidenceLevel.safeParse(level).success;
}
