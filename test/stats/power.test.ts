import { describe, test } from "vitest";
import { mcnemar, studentTQuantile } from "../../src/stats/index.ts";
import { detectableDifference, rowsToDetect } from "../../src/stats/tests/power.ts";
import { seededRandom, type Random } from "../../src/stats/numeric/random.ts";
import { pairedRatesPower } from "../../src/stats/tests/paired-rates-power.ts";
import { expect } from "./matchers.ts";

const rates = (n: number, higher: number, lower: number, baselineRate: number) =>
  ({ kind: "paired-rates", n, higher, lower, baselineRate }) as const;
const means = (n: number, standardError: number, rate: number | null = null, df = n - 1) =>
  ({ kind: "mean", n, df, standardError, rate, kurtosis: 3 }) as const;

describe("the power of McNemar's mid-p test", () => {
  // Sums over all tables with scipy 1.17.1 (binom, multinomial).
  test.each([
    { n: 20, fewer: 0.1, more: 0.5, alpha: 0.05, power: 0.6673480671193953 },
    { n: 50, fewer: 0.02, more: 0.2, alpha: 0.05, power: 0.8410976155354669 },
    { n: 50, fewer: 0.1, more: 0.3, alpha: 0.05 / 14, power: 0.2266999306133796 },
    { n: 100, fewer: 0, more: 0.07, alpha: 0.05, power: 0.836835756365596 },
  ])("$n rows, $fewer against $more at $alpha", ({ n, fewer, more, alpha, power }) => {
    expect(pairedRatesPower(n, fewer, more, alpha)).toAgreeWith(power);
  });

  test("is nothing where no row differs, and sure where all do", () => {
    expect(pairedRatesPower(100, 0, 0, 0.05)).toBe(0);
    expect(pairedRatesPower(100, 0, 1, 0.05)).toBe(1);
    expect(pairedRatesPower(5000, 0, 1, 0.05)).toBe(1);
  });

  test("changes by less than half a point where the normal approximation takes over", () => {
    for (const alpha of [0.05, 0.05 / 14, 0.05 / 100]) {
      for (const differ of [0.01, 0.1, 0.4]) {
        for (const standardErrors of [1.5, 2.8, 4]) {
          const difference = standardErrors * (differ / Math.sqrt(1000));
          const power = (n: number) =>
            pairedRatesPower(n, (differ - difference) / 2, (differ + difference) / 2, alpha);
          const [below, above] = [power(Math.floor(1000 / differ)), power(Math.floor(1000 / differ) + 1)];
          expect(Math.abs(above - below)).toBeLessThan(0.005);
        }
      }
    }
  });
});

describe("what would have been found four times in five", () => {
  test.each([
    { n: 20, rate: 0.5, differ: 0.5 },
    { n: 20, rate: 0.7, differ: 0.25 },
    { n: 100, rate: 0.7, differ: 0.42 },
    { n: 1000, rate: 0.7, differ: 0.21 },
    { n: 100, rate: 0.98, differ: 0.02 },
    { n: 300, rate: 0.98, differ: 0.04 },
    { n: 1000, rate: 0.98, differ: 0.04 },
  ])("is found in 78 to 85 % of runs with $n rows at a rate of $rate (SEED=41)", ({ n, rate, differ }) => {
    for (const alpha of [0.05, 0.05 / 14]) {
      const random = seededRandom(Number(process.env["SEED"] ?? 41));
      const found = Array.from({ length: 250 }, () => {
        const seen = alikeRuns(random, n, rate, differ);
        const shown = mcnemar(seen.lower, seen.higher, { method: "mid-p" }).p_value <= alpha;
        const difference = shown ? null : detectableDifference(seen, { alpha });
        if (difference === null || difference > rate) return [];
        const changed = difference / rate;
        const more = differ / 2 + changed * (rate - differ / 2);
        return [pairedRatesPower(n, (differ / 2) * (1 - changed), more, alpha)];
      }).flat();
      if (found.length < 50) continue;
      const average = found.reduce((sum, power) => sum + power, 0) / found.length;
      expect(average).toBeGreaterThan(0.78);
      expect(average).toBeLessThan(0.85);
    }
  });

  test("of numbers is a multiple of the standard error that few rows make larger", () => {
    const [few, many] = [detectableDifference(means(20, 0.1)), detectableDifference(means(2000, 0.1))];
    expect(many).toBeGreaterThan(0.1 * (studentTQuantile(0.975, 1999) + studentTQuantile(0.8, 1999)));
    expect(few).toBeGreaterThan(many ?? 1);
    expect(detectableDifference(means(20, 0.2))).toAgreeWith(2 * (few ?? 0));
  });

  test("of rates near 0 or 1 is larger, since they spread more on the way to ½", () => {
    const [middle, high] = [0.5, 0.95].map((rate) => detectableDifference(means(100, 0.03, rate)) ?? 0);
    expect(high).toBeGreaterThan(1.2 * (middle ?? 1));
    expect(detectableDifference(means(100, 0.03, 0.05))).toAgreeWith(high ?? 0);
  });

  test("does not exist where nothing is found so often, or the spread is unknown", () => {
    expect(detectableDifference(rates(4, 1, 1, 0.5))).toBeNull();
    expect(rowsToDetect(rates(4, 1, 1, 0.5), 0.9)).toBeNull();
    expect(detectableDifference(means(5, 0.4, 0.5))).toBeNull();
    for (const standardError of [null, 0]) {
      expect(detectableDifference({ ...means(10, 0), standardError })).toBeNull();
    }
    expect(detectableDifference(means(40, 0.1, null, 0.4))).toBeNull();
  });
});

describe("the rows that would be needed", () => {
  test.each([
    rates(20, 3, 2, 0.7),
    rates(100, 0, 0, 0.98),
    rates(1000, 40, 60, 0.6),
    rates(100_000, 9000, 9100, 0.6),
    means(30, 0.05),
    means(50, 0.04, 0.7),
    means(400, 0.05, 0.9, 11),
  ])("are those that find the detectable difference: %o", (sample) => {
    const difference = detectableDifference(sample) ?? 0;
    expect(rowsToDetect(sample, difference)).toAgreeWith(sample.n, 1e-5);
    expect(rowsToDetect(sample, difference / 2)).toBeGreaterThan(1.9 * sample.n);
    expect(rowsToDetect(sample, difference, { power: 0.5 })).toBeLessThan(sample.n);
  });
});

/** Two runs with the same rate whose rows differ with the probability `differ`. */
function alikeRuns(random: Random, n: number, rate: number, differ: number) {
  let [higher, lower, right] = [0, 0, 0];
  for (let i = 0; i < n; i += 1) {
    const draw = random();
    if (draw < differ / 2) higher += 1;
    else if (draw < differ) lower += 1;
    if (draw >= differ / 2 && draw < rate + differ / 2) right += 1;
  }
  return rates(n, higher, lower, right / n);
}
