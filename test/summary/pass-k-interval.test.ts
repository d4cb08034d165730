import { describe, expect, it } from "vitest";
import { measurePassK } from "../../bench/levels/pass-k.ts";
import { passKOf } from "../../src/respond/summary/pass-k.ts";
import type { RowSample } from "../../src/plan/results.ts";
import { studentTQuantile } from "../../src/stats/index.ts";

const SEED = Number(process.env["SEED"] ?? 42);

function intervalOf(passes: readonly number[], trials: number, k: number) {
  const tallies = passes.map((total) => ({ trials, total, rows: 1 }));
  return passKOf({ tallies, zeroOne: true } as unknown as RowSample, [k])?.pass_hat_k_confidence_interval[k];
}

/** C(c, k) / C(n, k), then Wilson's interval as it is written. */
function byHand(passes: readonly number[], trials: number, k: number): number[] {
  const ways = (n: number): number =>
    Array.from({ length: k }, (_, i) => (n - i) / (i + 1)).reduce((a, b) => a * b, 1);
  const v = passes.map((c) => (c < k ? 0 : ways(c) / ways(trials)));
  const n = v.length;
  const sum = v.reduce((a, b) => a + b, 0);
  const p = (sum + 0.5) / (n + 1);
  const se2 = (v.reduce((a, one) => a + (one - p) ** 2, 0) + 0.5 * p * p + 0.5 * (1 - p) ** 2) / (n * n);
  const e = Math.max(0.9 * n, (p * (1 - p)) / se2);
  const [m, z] = [sum / n, studentTQuantile(0.975, n - 1)];
  const half = z * Math.sqrt((m * (1 - m)) / e + (z * z) / (4 * e * e));
  return [-1, 1].map((side) => (m + (z * z) / (2 * e) + side * half) / (1 + (z * z) / e));
}

describe(`the interval of pass^k (SEED=${SEED})`, () => {
  it.each([
    [Array.from({ length: 20 }, (_, i) => i % 5), 4, 2],
    [Array.from({ length: 60 }, (_, i) => (i * 7) % 9), 8, 3],
    [Array.from({ length: 25 }, () => 4), 4, 4],
  ] as const)("is Wilson's with the effective number of one row more (%#)", (passes, trials, k) => {
    const [low = NaN, high = NaN] = byHand(passes, trials, k);
    const found = intervalOf(passes, trials, k);
    expect(found?.[0]).toBeCloseTo(low, 12);
    expect(found?.[1]).toBeCloseTo(high, 12);
  });

  it("is none of fewer than 20 rows", () => {
    expect(
      intervalOf(
        Array.from({ length: 19 }, (_, i) => i % 5),
        4,
        2,
      ),
    ).toBeNull();
  });

  // Wilson's with the plain effective number holds it in down to 52 %.
  it.each([
    { rows: 20, trials: 4, k: 2, rate: 0.05, spread: 1.5 },
    { rows: 20, trials: 8, k: 8, rate: 0.5, spread: 3 },
    { rows: 50, trials: 4, k: 4, rate: 0.95, spread: 3 },
    { rows: 100, trials: 2, k: 2, rate: 0.2, spread: 1.5 },
  ])("holds the chance in 92 % or more: $rows rows, $trials trials, k = $k, $rate", (design) => {
    expect(measurePassK({ ...design, runs: 400, seed: SEED })).toBeGreaterThanOrEqual(0.9);
  });
});
