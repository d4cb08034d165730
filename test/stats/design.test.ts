import { describe, test } from "vitest";
import {
  mean,
  minimumDetectableEffect,
  normalQuantile,
  ppi,
  roganGladen,
  sampleSize,
  standardError,
  varianceComponents,
} from "../../src/stats/index.ts";
import { ppiInterval, ppiMoments, ppiOfMoments, ppiRateInterval } from "../../src/stats/agreement/ppi.ts";
import { expect } from "./matchers.ts";

const effectWithTrials = (k: number) =>
  minimumDetectableEffect({ n: 198, variance: 1 / 9 + 1 / 6 / k + 1 / 6 / k });
/** Of row means of k trials whose pass rates are uniform. */
const squaredEffect = (k: number) =>
  (minimumDetectableEffect({ n: 100, variance: 1 / 12 + 1 / 6 / k }) ?? 0) ** 2;

describe("power", () => {
  test("969 rows see a difference of 3 points at ω² = 1/9", () => {
    expect(sampleSize({ delta: 0.03, variance: 1 / 9 })).toBe(969);
    expect(sampleSize({ delta: -0.03, variance: 1 / 9 })).toBe(969);
    const raw = ((normalQuantile(0.975) + normalQuantile(0.8)) ** 2 * (1 / 9)) / 0.03 ** 2;
    expect(raw).toAgreeWith(968.9975, 1e-7);
    expect(minimumDetectableEffect({ n: raw, variance: 1 / 9 })).toAgreeWith(0.03);
  });

  test("198 rows see 13.3 points with one trial per row and 7.6 with ten", () => {
    expect(effectWithTrials(1)).toAgreeWith(0.13273, 1e-4);
    expect(effectWithTrials(10)).toAgreeWith(0.07567, 1e-4);
  });

  test("more trials per row take away at most two thirds of the variance of uniform pass rates", () => {
    const reductions = { 2: 1 / 3, 3: 4 / 9, 4: 1 / 2, 5: 8 / 15 };
    for (const [k, reduction] of Object.entries(reductions)) {
      expect(1 - squaredEffect(Number(k)) / squaredEffect(1)).toAgreeWith(reduction);
    }
  });

  test("the sample size is the smallest n whose detectable effect is the difference", () => {
    const levels = { variance: 0.2, alpha: 0.01, power: 0.9 };
    const n = sampleSize({ delta: 0.05, ...levels });
    expect(minimumDetectableEffect({ n, ...levels })).toBeLessThanOrEqual(0.05);
    expect(minimumDetectableEffect({ n: n - 1, ...levels })).toBeGreaterThan(0.05);
  });

  test("no rows detect nothing", () => {
    expect(minimumDetectableEffect({ n: 0, variance: 1 })).toBeNull();
  });
});

describe("variance between and within rows", () => {
  const rows = [
    [1, 1, 0, 1],
    [0, 0, 0, 1],
    [1, 1, 1, 1],
    [0, 1, 0, 0],
    [1, 0, 1, 1],
  ];

  test("five rows of four trials", () => {
    const { between, within, icc } = varianceComponents(rows);
    expect(between).toAgreeWith(0.0625);
    expect(within).toAgreeWith(0.2);
    expect((within ?? 0) + 4 * (between ?? 0)).toAgreeWith(0.45);
    expect(icc).toAgreeWith(0.23809523809523808);
  });

  test("the error comes from row means, not from trials", () => {
    const rowMeans = rows.map((row) => mean(row) ?? 0);
    expect(mean(rowMeans)).toAgreeWith(0.6);
    expect(standardError(rowMeans)).toAgreeWith(0.15);
    expect(standardError(rows.flat())).toAgreeWith(0.11239029738980327);
  });

  test("rows of unequal size", () => {
    const { between, within, icc } = varianceComponents([[1, 0, 1], [1, 1], [0, 0, 0, 1], [1], []]);
    expect(between).toAgreeWith(0.03928571428571427);
    expect(within).toAgreeWith(0.23611111111111113);
    expect(icc).toAgreeWith(0.14265129682997116);
  });

  test("rows more alike than chance have between 0 and a negative icc", () => {
    expect(
      varianceComponents([
        [0, 1],
        [1, 0],
        [0, 1],
      ]),
    ).toEqual({ between: 0, within: 0.5, icc: -1 });
  });

  test("do not exist without two rows or without a second trial", () => {
    const nothing = { between: null, within: null, icc: null };
    expect(varianceComponents([[1, 0, 1]])).toEqual(nothing);
    expect(varianceComponents([[1], [0], [1]])).toEqual(nothing);
    expect(
      varianceComponents([
        [0.1, 0.1],
        [0.1, 0.1],
      ]),
    ).toEqual({ between: 0, within: 0, icc: null });
  });
});

describe("a judge corrected by human labels", () => {
  const human = [1, 0, 1, 1, 0, 1, 0, 0, 1, 1];
  const judge = [1, 0, 1, 1, 1, 1, 1, 0, 1, 1];
  const unlabelled = Array.from({ length: 100 }, (_, i) => (i < 75 ? 1 : 0));
  const data = { labelled: { human, judge }, unlabelled: { judge: unlabelled } };

  test("prediction-powered inference", () => {
    expect(mean(human)).toAgreeWith(0.6);
    expect(standardError(human)).toAgreeWith(0.16329931618554522);
    const { estimate, standard_error, lambda } = ppi(data);
    expect(estimate).toAgreeWith(0.55);
    expect(standard_error).toAgreeWith(0.1402558988838515);
    expect(lambda).toBe(1);
  });

  test("tuned, it weighs the judge", () => {
    const { estimate, standard_error, lambda } = ppi(data, { tuned: true });
    expect(lambda).toAgreeWith(0.6485200059497248);
    expect(estimate).toAgreeWith(0.5675739997025138);
    expect(standard_error).toAgreeWith(0.13283935863775215);
  });

  test("a constant judge is tuned away", () => {
    const constant = { labelled: { human, judge: human.map(() => 1) }, unlabelled: { judge: [1, 1, 1] } };
    const result = ppi(constant, { tuned: true });
    expect(result.lambda).toBe(0);
    expect(result.estimate).toAgreeWith(0.6);
    expect(result.standard_error).toAgreeWith(0.16329931618554522);
  });

  // ppi-python 0.2.3, whose covariance is over n instead of n − 1.
  const labels = [3.1, 2.4, 4.8, 1.2, 3.9, 2.2, 4.1, 3.3];
  const seen = [2.9, 2.8, 4.1, 1.9, 3.5, 2, 4.4, 2.7];
  const unseen = [3.2, 1.1, 2.5, 4.9, 3.8, 2.2, 2.9, 3.1, 4, 1.7, 2.6, 3.4];
  test.each([
    { name: "within 0 and 1", change: (x: number) => x, weight: 0.5455524437747006 * (8 / 7), plain: 3.0375 },
    { name: "at most 1", change: (x: number) => x / 4, weight: 1, plain: 3.103125, tuned: 3.103125 },
    { name: "at least 0", change: (x: number) => 5 - x, weight: 0, plain: 3.2125, tuned: 3.125 },
  ])("the tuned weight is $name, as in the authors' own package", ({ change, weight, plain, tuned }) => {
    const rows = {
      labelled: { human: labels, judge: seen.map(change) },
      unlabelled: { judge: unseen.map(change) },
    };
    expect(ppi(rows).estimate).toAgreeWith(plain);
    expect(ppi(rows, { tuned: true }).lambda).toAgreeWith(weight);
    if (tuned !== undefined) expect(ppi(rows, { tuned: true }).estimate).toAgreeWith(tuned);
  });

  test("is the same in any unit, up to the ends of the range of doubles", () => {
    for (const [power, judgePower] of [
      [-700, -650],
      [700, 800],
      [-200, 700],
    ] as const) {
      const [unit, judgeUnit] = [2 ** power, 2 ** judgePower];
      const rows = {
        labelled: { human: labels.map((x) => x * unit), judge: seen.map((x) => x * judgeUnit) },
        unlabelled: { judge: unseen.map((x) => x * judgeUnit) },
      };
      const expected = ppi(
        { labelled: { human: labels, judge: seen }, unlabelled: { judge: unseen } },
        { tuned: true },
      );
      const found = ppi(rows, { tuned: true });
      expect(found.estimate).toAgreeWith((expected.estimate ?? 0) * unit, 1e-15);
      expect(found.standard_error).toAgreeWith((expected.standard_error ?? 0) * unit, 1e-15);
      expect(found.lambda * (judgeUnit / unit)).toAgreeWith(expected.lambda, 1e-15);
    }
  });

  // Computed with numpy 2.4.6 and scipy 1.17.1 from the rows themselves.
  test("has a Student interval with two degrees of freedom less than labels", () => {
    const moments = ppiMoments(
      { labelled: { human: labels, judge: seen }, unlabelled: { judge: unseen } },
      true,
    );
    expect(ppiOfMoments(moments).standard_error).toAgreeWith(0.30655831793767696);
    expect(ppiInterval(moments)).toAgreeWith([2.320323574393758, 3.820565936851302]);
  });

  test("has an interval of a rate that lies within 0 and 1 and knows that few labels show few errors", () => {
    expect(ppiRateInterval(ppiMoments(data, true))).toAgreeWith([0.2780130192736318, 0.8173146697269844]);
    const ones = Array.from({ length: 12 }, () => 1);
    const faultless = {
      labelled: { human: ones, judge: ones },
      unlabelled: { judge: Array.from({ length: 48 }, (_, i) => (i < 40 ? 1 : 0)) },
    };
    expect(ppiRateInterval(ppiMoments(faultless, true))).toAgreeWith([0.7073552019621925, 1]);
    expect(ppiInterval(ppiMoments(faultless, true))).toBeNull();
  });

  test("has no interval without three labels and two other rows", () => {
    for (const [labelled, others] of [
      [2, 5],
      [5, 1],
    ] as const) {
      const one = {
        labelled: { human: labels.slice(0, labelled), judge: seen.slice(0, labelled) },
        unlabelled: { judge: unseen.slice(0, others) },
      };
      expect(ppiInterval(ppiMoments(one, true))).toBeNull();
      expect(ppiRateInterval(ppiMoments(one, true))).toBeNull();
    }
  });

  test("needs rows of both kinds", () => {
    const none = { labelled: { human: [], judge: [] }, unlabelled: { judge: [1] } };
    expect(ppi(none)).toEqual({ estimate: null, standard_error: null, lambda: 1 });
    const one = { labelled: { human: [1], judge: [0] }, unlabelled: { judge: [0, 1] } };
    expect(ppi(one, { tuned: true })).toEqual({ estimate: 1.5, standard_error: null, lambda: 1 });
  });

  test("Rogan–Gladen", () => {
    expect(roganGladen(0.75, 1, 0.5)).toAgreeWith(0.5);
    expect(roganGladen(0.1, 0.9, 0.8)).toBe(0);
    expect(roganGladen(0.95, 0.9, 0.8)).toBe(1);
    expect(roganGladen(0.75, 0.5, 0.5)).toBeNull();
  });
});
