import { test } from "vitest";
import { mean, passAtK, passHatK } from "../../src/stats/index.ts";
import { expect } from "./matchers.ts";

test.each([
  [5, 1, 2, 0.4],
  [10, 3, 5, 0.9166666666666666],
  [200, 13, 10, 0.4975511147306061],
  [200, 1, 100, 0.5],
  [4, 2, 2, 5 / 6],
])("pass@k of n = %i, c = %i, k = %i", (n, c, k, expected) => {
  expect(passAtK(n, c, k)).toAgreeWith(expected);
});

test("50 airline tasks of four trials give the published pass^k and pass@k", () => {
  const successes = [14, 12, 10, 4, 10].flatMap((tasks, c) => Array.from({ length: tasks }, () => c));
  const over = (estimate: (c: number) => number | null) => mean(successes.map((c) => estimate(c) ?? 0));
  [0.42, 0.2733333333333333, 0.22, 0.2].forEach((expected, i) => {
    expect(over((c) => passHatK(4, c, i + 1))).toAgreeWith(expected);
  });
  [0.42, 0.5666666666666667, 0.66, 0.72].forEach((expected, i) => {
    expect(over((c) => passAtK(4, c, i + 1))).toAgreeWith(expected);
  });
});

test("too few trials have no answer", () => {
  expect([passAtK(3, 3, 4), passHatK(3, 3, 4), passAtK(0, 0, 1)]).toEqual([null, null, null]);
});

test("fewer failures than k make a pass certain, fewer passes than k make all passing impossible", () => {
  expect([passAtK(10, 8, 3), passHatK(10, 2, 3)]).toEqual([1, 0]);
});

test("with k = 1 both are the pass rate", () => {
  expect(passAtK(8, 3, 1)).toAgreeWith(0.375);
  expect(passHatK(8, 3, 1)).toAgreeWith(0.375);
});
