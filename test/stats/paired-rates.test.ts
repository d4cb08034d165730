import { describe, test } from "vitest";
import { mcnemar, pairedRatesInterval, type Interval } from "../../src/stats/index.ts";
import { expect } from "./matchers.ts";

const MOST_DISCORDANT = 60;
const LEVELS = [0.05, 0.1, 0.05 / 3, 0.05 / 14, 0.05 / 100];

function intervalOf(higher: number, lower: number, n: number, confidence = 0.95): Interval {
  const found = pairedRatesInterval({ higher, lower, n, confidence });
  if (found === null) throw new Error(`no interval for ${higher}, ${lower}, ${n}`);
  return found;
}

/** Every table of at most `MOST_DISCORDANT` rows that differ, each in few and in many rows. */
const tables = Array.from({ length: MOST_DISCORDANT + 1 }, (_, discordant) =>
  Array.from({ length: Math.floor(discordant / 2) + 1 }, (__, lower) =>
    [discordant, discordant + 9, 500].map((n) => ({ higher: discordant - lower, lower, n: Math.max(2, n) })),
  ).flat(),
).flat();

describe("the interval of a difference of paired rates", () => {
  // Figures of the R package contingencytables 3.0.0, Tango_asymptotic_score_CI_paired_2x2, solved to 1e-15.
  test.each([
    { of: "Bentur 2009", higher: 1, lower: 7, n: 21, interval: [-0.5172322764213771, -0.0260030324808684] },
    { of: "Cavo 2012", higher: 6, lower: 16, n: 161, interval: [-0.1240234324640681, -0.0054333957316771] },
    {
      of: "PropCIs 0.3-0",
      higher: 40,
      lower: 20,
      n: 160,
      interval: [0.0308645331330868, 0.2180642441668248],
    },
    { of: "Agresti", higher: 150, lower: 86, n: 1600, interval: [0.0213615647547872, 0.0589980333056993] },
  ])("is Tango's score interval: $of", ({ higher, lower, n, interval }) => {
    expect(intervalOf(higher, lower, n)).toAgreeWith(interval);
  });

  test("leaves out 0 exactly where the p value is at most the level", () => {
    const wrong = tables.flatMap(({ higher, lower, n }) => {
      const { p_value } = mcnemar(lower, higher, { method: "mid-p" });
      return LEVELS.filter((level) => {
        const [low, high] = intervalOf(higher, lower, n, 1 - level);
        const difference = (higher - lower) / n;
        const within = low <= difference && difference <= high && low >= -1 && high <= 1 && low < high;
        return !within || (low > 0 || high < 0) !== p_value <= 1 - (1 - level);
      }).map((level) => ({ higher, lower, n, level }));
    });
    expect(wrong).toEqual([]);
  });

  test("mirrors when the sides are swapped", () => {
    const swapped = tables.filter(({ higher, lower, n }) => {
      const [[low, high], other] = [intervalOf(higher, lower, n), intervalOf(lower, higher, n)];
      return other[0] !== 0 - high || other[1] !== 0 - low;
    });
    expect(swapped).toEqual([]);
  });

  test("ends at 0 where the score interval says more than the test, and just beside 0 where it says less", () => {
    expect(mcnemar(0, 4, { method: "mid-p" }).p_value).toAgreeWith(0.0625);
    expect(intervalOf(4, 0, 100)[0]).toBe(0);
    expect(mcnemar(1, 11, { method: "mid-p" }).p_value).toBeLessThan(0.05 / 14);
    expect(intervalOf(11, 1, 500, 1 - 0.05 / 14)[0]).toAgreeWith(0.02 * 1e-6);
  });

  test("exists from two rows on", () => {
    expect(pairedRatesInterval({ higher: 1, lower: 0, n: 1 })).toBeNull();
    expect(intervalOf(0, 0, 2)[1]).toBeLessThan(1);
    expect(intervalOf(5, 0, 5)[1]).toBe(1);
  });

  test.each([20, 50])("covers the truth with %i rows, by enumeration", (n) => {
    const shown = [
      [0.05, 0.05],
      [0.1, 0.1],
      [0.2, 0.2],
      [0.1, 0.02],
      [0.2, 0.05],
      [0.3, 0.05],
      [0.3, 0.1],
      [0.5, 0.1],
    ] as const;
    for (const [higher, lower] of shown) expect(coverage(n, higher, lower)).toBeGreaterThanOrEqual(0.94);
    const grid = [0.02, 0.04, 0.08, 0.15, 0.3, 0.45, 0.6];
    for (const higher of grid)
      for (const lower of grid.filter((p) => p <= higher && p + higher <= 1))
        expect(coverage(n, higher, lower), `${higher} ${lower}`).toBeGreaterThanOrEqual(0.92);
  });
});

const known = new Map<string, Interval>();

/** The probability that the interval of n rows holds the difference of the two probabilities. */
function coverage(n: number, higher: number, lower: number): number {
  let covered = 0;
  for (let b = 0; b <= n; b += 1) {
    for (let c = 0; b + c <= n; c += 1) {
      const name = `${b} ${c} ${n}`;
      const found = known.get(name) ?? intervalOf(b, c, n);
      known.set(name, found);
      if (found[0] <= higher - lower && higher - lower <= found[1])
        covered += trinomial(n, b, c, higher, lower);
    }
  }
  return covered;
}

function trinomial(n: number, b: number, c: number, p: number, q: number): number {
  const rest = n - b - c;
  const ways = logFactorial(n) - logFactorial(b) - logFactorial(c) - logFactorial(rest);
  return Math.exp(ways + logPower(p, b) + logPower(q, c) + logPower(1 - p - q, rest));
}

function logPower(chance: number, times: number): number {
  return times === 0 ? 0 : times * Math.log(chance);
}

const LOG_FACTORIALS = [0];

function logFactorial(n: number): number {
  for (let i = LOG_FACTORIALS.length; i <= n; i += 1)
    LOG_FACTORIALS.push((LOG_FACTORIALS[i - 1] ?? 0) + Math.log(i));
  return LOG_FACTORIALS[n] ?? Number.NaN;
}
