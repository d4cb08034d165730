import { describe, test } from "vitest";
import { falseClaims } from "../../bench/levels/exact-claims.ts";
import { normalCdf } from "../../src/stats/index.ts";
import { pairedRatesAbove, pairedRatesBounds } from "../../src/stats/tests/paired-rates.ts";
import { seededRandom } from "../../src/stats/numeric/random.ts";
import { expect } from "./matchers.ts";

const SEED = Number(process.env["SEED"] ?? 42);
const random = seededRandom(SEED);
const below = (n: number): number => Math.floor(random() * n);

/** The score as Tango writes it, with whatever rows. */
function tango(b: number, c: number, n: number, delta: number): number {
  const B = -b - c + (2 * n - b + c) * delta;
  const C = -c * delta * (1 - delta);
  const q = (Math.sqrt(B * B - 8 * n * C) - B) / (4 * n);
  return (b - c - n * delta) / Math.sqrt(n * (2 * q + delta * (1 - delta)));
}

const tables = Array.from({ length: 300 }, () => {
  const n = 2 + below(200);
  const higher = below(n / 2);
  return { higher, lower: below(n - higher + 1), n, margin: 0.005 + 0.4 * random() };
});

describe(`claims about the difference of paired rates (SEED=${SEED})`, () => {
  test("are tested by Tango's score with half a row more against them", () => {
    for (const { higher, lower, n, margin } of tables) {
      const notWorse = 1 - normalCdf(tango(higher, lower + 0.5, n, -margin));
      const notBetter = normalCdf(tango(higher + 0.5, lower, n, margin));
      expect(Math.abs(pairedRatesAbove(higher, lower, n, -margin) - notWorse)).toBeLessThan(1e-12);
      expect(Math.abs(pairedRatesAbove(lower, higher, n, -margin) - notBetter)).toBeLessThan(1e-12);
    }
  });

  test("have bounds within a margin exactly where both are shown", () => {
    for (const { higher, lower, n, margin } of tables)
      for (const alpha of [0.2, 0.05, 0.05 / 14]) {
        const [low, high] = pairedRatesBounds(higher, lower, n, alpha) ?? [NaN, NaN];
        const shown = [
          pairedRatesAbove(higher, lower, n, -margin),
          pairedRatesAbove(lower, higher, n, -margin),
        ];
        expect([low >= -margin, high <= margin]).toEqual(shown.map((p) => p <= alpha));
        expect(-1 <= low && low <= high && high <= 1).toBe(true);
      }
  });

  test("have no bounds where every difference is on a side that is shown", () => {
    expect(pairedRatesBounds(3, 2, 20, 0.6)).toBeNull();
  });

  test("are never sure of what cannot be: no row may be lost beyond all, and none is known to be kept", () => {
    expect(pairedRatesBounds(0, 25, 25, 0.05)).toEqual([-1, expect.any(Number)]);
    expect(pairedRatesAbove(0, 25, 25, -3)).toBe(pairedRatesAbove(0, 25, 25, -1));
  });

  // Without the half row 7.2 % (25 rows, a margin of 10 points, no row gained).
  test("are false in at most 5 %, by enumeration at the edges of the margin", () => {
    for (const n of [20, 25, 31, 50, 80, 120, 200, 400])
      for (const margin of [0.02, 0.05, 0.1, 0.2])
        for (const gained of [0, 0.01, 0.05]) {
          const share = falseClaims({ n, margin, gained });
          expect(share, `${n} rows, margin ${margin}, ${gained} gained`).toBeLessThan(0.05);
        }
  });
});
