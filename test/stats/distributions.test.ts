import * as fc from "fast-check";
import { describe, test } from "vitest";
import * as stats from "../../src/stats/index.ts";
import { incompleteBeta } from "../../src/stats/numeric/special-functions.ts";
import { expect } from "./matchers.ts";
import golden from "./distributions.golden.json" with { type: "json" };

const seed = 20_240_601;
const assertAll = <T extends unknown[]>(property: fc.IPropertyWithHooks<T>): void =>
  fc.assert(property, { seed, numRuns: 300 });

const probability = fc.double({ min: 1e-6, max: 1 - 1e-6, noNaN: true });
const shape = fc.double({ min: 0.3, max: 5000, noNaN: true });
const z = fc.double({ min: -8, max: 8, noNaN: true });

describe("every distribution function agrees with scipy to 1e-10", () => {
  const functions: Record<keyof typeof golden.tables, (...x: number[]) => number> = {
    normalCdf: (x = 0) => stats.normalCdf(x),
    normalQuantile: (p = 0) => stats.normalQuantile(p),
    studentTCdf: (t = 0, df = 0) => stats.studentTCdf(t, df),
    studentTQuantile: (p = 0, df = 0) => stats.studentTQuantile(p, df),
    binomialCdf: (k = 0, n = 0, p = 0) => stats.binomialCdf(k, n, p),
    incompleteBeta: (x = 0, a = 0, b = 0) => incompleteBeta(x, a, b),
    betaQuantile: (p = 0, a = 0, b = 0) => stats.betaQuantile(p, a, b),
    chiSquareSurvival: (x = 0, df = 0) => stats.chiSquareSurvival(x, df),
  };
  test.each(Object.entries(functions))("%s", (name, f) => {
    const rows: readonly (readonly number[])[] =
      Object.entries(golden.tables).find(([key]) => key === name)?.[1] ?? [];
    expect(rows.length).toBeGreaterThan(4);
    for (const row of rows) expect(f(...row.slice(0, -1))).toAgreeWith(row.at(-1) ?? 0, 1e-10);
  });
});

test("published quantiles and tails come out to 1e-10", () => {
  const t975 = { 1: 12.706204736174694, 2: 4.302652729749462, 4: 2.7764451051977934, 9: 2.262157162798205 };
  for (const [df, t] of Object.entries(t975))
    expect(stats.studentTQuantile(0.975, Number(df))).toAgreeWith(t, 1e-10);
  expect(stats.studentTQuantile(0.975, 29)).toAgreeWith(2.045229642132703, 1e-10);
  expect(stats.studentTQuantile(0.975, 99)).toAgreeWith(1.9842169515864174, 1e-10);
  expect(incompleteBeta(0.3, 2.5, 0.5)).toAgreeWith(0.018927124071945658, 1e-10);
  expect(stats.studentTCdf(2, 5)).toAgreeWith(0.9490302605850708, 1e-10);
  expect(stats.betaQuantile(0.025, 18, 4)).toAgreeWith(0.636576012983019, 1e-10);
  expect(stats.binomialCdf(3, 12, 0.5)).toAgreeWith(0.072998046875, 1e-10);
  expect(stats.chiSquareSurvival(6.75, 1)).toAgreeWith(0.0093747684594349, 1e-10);
  expect(stats.normalQuantile(1e-6)).toAgreeWith(-4.753424308822899, 1e-10);
  expect(stats.normalQuantile(0.975)).toAgreeWith(1.959963984540054, 1e-10);
  expect(stats.normalQuantile(0.8)).toAgreeWith(0.8416212335729143, 1e-10);
  expect(stats.normalCdf(-1.5)).toAgreeWith(0.06680720126885807, 1e-10);
});

describe("a quantile is the inverse of its cdf", () => {
  test("of the normal", () => {
    assertAll(
      fc.property(probability, (p) => {
        expect(stats.normalCdf(stats.normalQuantile(p))).toAgreeWith(p, 1e-11);
      }),
    );
  });
  test("of Student's t", () => {
    assertAll(
      fc.property(probability, shape, (p, df) => {
        expect(stats.studentTCdf(stats.studentTQuantile(p, df), df)).toAgreeWith(p, 1e-10);
      }),
    );
  });
  test("of the beta, away from where a neighbouring double is another probability", () => {
    assertAll(
      fc.property(probability, shape, shape, (p, a, b) => {
        const x = stats.betaQuantile(p, a, b);
        fc.pre(x < 0.999);
        expect(incompleteBeta(x, a, b)).toAgreeWith(p, 1e-9);
      }),
    );
  });
});

test("cdfs never fall", () => {
  assertAll(
    fc.property(z, z, shape, shape, (x, y, a, b) => {
      const [low, high] = x < y ? [x, y] : [y, x];
      const slack = 1 + 1e-12;
      expect(stats.normalCdf(low)).toBeLessThanOrEqual(stats.normalCdf(high) * slack);
      expect(stats.studentTCdf(low, a)).toBeLessThanOrEqual(stats.studentTCdf(high, a) * slack);
      expect(stats.chiSquareSurvival(high + 8, a)).toBeLessThanOrEqual(
        stats.chiSquareSurvival(low + 8, a) * slack,
      );
      const [left, right] = [(low + 8) / 16, (high + 8) / 16];
      expect(incompleteBeta(left, a, b)).toBeLessThanOrEqual(incompleteBeta(right, a, b) * slack);
    }),
  );
});

test("the symmetric distributions are symmetric, and a beta mirrors its parameters", () => {
  /** 1 − x is exact. */
  const binaryFraction = fc.integer({ min: 0, max: 2 ** 20 }).map((numerator) => numerator / 2 ** 20);
  assertAll(
    fc.property(z, binaryFraction, shape, shape, (t, x, a, b) => {
      expect(stats.normalCdf(t) + stats.normalCdf(-t)).toAgreeWith(1, 1e-14);
      expect(stats.studentTCdf(t, a) + stats.studentTCdf(-t, a)).toAgreeWith(1, 1e-14);
      expect(incompleteBeta(x, a, b) + incompleteBeta(1 - x, b, a)).toAgreeWith(1, 1e-11);
    }),
  );
});

test("the ends of the range are the ends of the support", () => {
  expect(stats.normalQuantile(0)).toBe(-Infinity);
  expect(stats.normalQuantile(1)).toBe(Infinity);
  expect(stats.normalQuantile(0.5)).toBe(0);
  expect(stats.studentTQuantile(1, 3)).toBe(Infinity);
  expect(stats.betaQuantile(0, 2, 3)).toBe(0);
  expect(incompleteBeta(1, 2, 3)).toBe(1);
  expect(stats.normalCdf(-Infinity)).toBe(0);
  expect(stats.studentTCdf(Infinity, 3)).toBe(1);
  expect(stats.chiSquareSurvival(Infinity, 3)).toBe(0);
  expect(stats.binomialCdf(-1, 5, 0.5)).toBe(0);
  expect(stats.binomialCdf(5, 5, 0.5)).toBe(1);
});
