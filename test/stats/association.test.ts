import { describe, test } from "vitest";
import { associate, type RowOutcomes } from "../../src/stats/tests/association.ts";
import { ratioOfRows } from "../../bench/levels/steps.ts";
import { ratioInterval } from "../../src/stats/estimates/ratio.ts";
import { seededRandom } from "../../src/stats/numeric/random.ts";
import { expect } from "./matchers.ts";

const SEED = Number(process.env["SEED"] ?? 42);

type Counts = readonly [withPassed: number, withFailed: number, withoutPassed: number, withoutFailed: number];

const rowsOf = (counts: readonly Counts[]): RowOutcomes[] =>
  counts.map(([withPassed, withFailed, withoutPassed, withoutFailed]) => ({
    withPassed,
    withFailed,
    withoutPassed,
    withoutFailed,
  }));

const SOME: readonly Counts[] = [
  [0, 2, 3, 1],
  [1, 1, 2, 0],
  [0, 1, 4, 0],
  [2, 2, 1, 3],
  [0, 3, 0, 1],
  [1, 0, 2, 2],
  [0, 0, 4, 0],
  [1, 2, 0, 0],
];
const HIGHER: readonly Counts[] = [
  [3, 0, 0, 1],
  [2, 0, 1, 2],
  [4, 1, 0, 3],
  [1, 0, 0, 2],
  [2, 1, 1, 1],
  [1, 0, 0, 0],
];

describe(`how far success goes with an error (SEED=${SEED})`, () => {
  // statsmodels 0.14: OLS of passed on error with cov_type="cluster", uncorrected, times R/(R − 1), and t of scipy; the
  // score in numpy, trial by trial.
  test("is the difference of two rates, tested and bounded over rows", () => {
    const some = associate(rowsOf(SOME), 0.95);
    expect(some.difference).toAgreeWith(-0.38315217391304324);
    expect(some.p).toAgreeWith(0.10603410223821258);
    expect(some.interval).toAgreeWith([-0.8398018641108627, 0.07349751628477624]);
    const higher = associate(rowsOf(HIGHER), 0.8);
    expect(higher.difference).toAgreeWith(0.6848484848484846);
    expect(higher.p).toAgreeWith(0.09058548413813035);
    expect(higher.interval).toAgreeWith([0.48961342605774494, 0.8800835436392243]);
  });

  test("has an interval that leaves out 0 exactly where the test finds an association, within one", () => {
    // By itself the interval of the second is 0.34 to 1.02.
    expect(associate(rowsOf(HIGHER), 0.95).interval).toEqual([0, 1]);
    const random = seededRandom(SEED);
    const below = (n: number) => Math.floor(random() * n);
    let moved = 0;
    for (let run = 0; run < 2000; run++) {
      const counts = Array.from({ length: 5 + below(20) }, (): Counts => [
        below(2),
        below(3),
        below(4),
        below(3),
      ]);
      const { difference, interval, p } = associate(rowsOf(counts), 0.9);
      if (interval === null || p === null || difference === null) continue;
      const [low, high] = interval;
      expect(low > 0 || high < 0).toBe(p <= 1 - 0.9);
      expect(-1 <= low && low <= difference && difference <= high && high <= 1).toBe(true);
      if (low === 0 || high === 0 || Math.abs(low / high) < 1e-5 || Math.abs(high / low) < 1e-5) moved++;
    }
    expect(moved).toBeGreaterThan(0);
  });

  test("is not tested below five rows with a trial of either kind, and where rows tell nothing", () => {
    const few = rowsOf([...HIGHER.slice(0, 4), [0, 0, 5, 4], [0, 0, 1, 4]]);
    expect(associate(few, 0.95)).toEqual({ difference: expect.any(Number), interval: null, p: null });
    const balanced = rowsOf(Array.from({ length: 7 }, () => [1, 2, 3, 6] as const));
    expect(associate(balanced, 0.95)).toEqual({ difference: 0, interval: null, p: null });
    expect(associate(rowsOf([[3, 1, 0, 0]]), 0.95)).toEqual({ difference: null, interval: null, p: null });
    expect(associate([], 0.95).difference).toBeNull();
  });

  test("is that of rows with trials, however many others there are", () => {
    const empty = Array.from({ length: 50 }, (): Counts => [0, 0, 0, 0]);
    expect(associate(rowsOf([...SOME, ...empty]), 0.95)).toEqual(associate(rowsOf(SOME), 0.95));
  });

  test("knows as many rows as there are", () => {
    const many = Array.from({ length: 160_000 }, (_, i) => SOME[i % SOME.length] ?? ([0, 0, 0, 0] as const));
    expect(associate(rowsOf(many), 0.95).difference).toAgreeWith(-0.38315217391304324);
  });
});

const QUANTITIES = [120.5, 80, 200, 310, 55, 90, 400, 130];
const SUCCESSES = [1, 2, 0, 1, 3, 1, 0, 2];

describe("the interval of what a success takes", () => {
  const rows = QUANTITIES.map((quantity, i) => ({ quantity, successes: SUCCESSES[i] ?? 0 }));

  // statsmodels 0.14: the standard error of the mean of x − R y by OLS, and t of scipy.
  test("is that of the logarithm of a ratio of sums over rows", () => {
    expect(ratioInterval(ratioOfRows(rows))).toAgreeWith([42.313162328581285, 453.667403795854]);
  });

  test("is none below five rows with a success, without anything taken, and where each success takes the same", () => {
    expect(ratioInterval(ratioOfRows(rows.filter((_, i) => i !== 1 && i !== 5)))).toBeNull();
    expect(ratioInterval(ratioOfRows(rows.map((row) => ({ ...row, quantity: 0 }))))).toBeNull();
    const same = SUCCESSES.concat(SUCCESSES).map((successes) => ({ quantity: 0.1 * successes, successes }));
    expect(ratioInterval(ratioOfRows(same))).toBeNull();
  });
});
