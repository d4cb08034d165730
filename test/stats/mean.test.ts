import { describe, test } from "vitest";
import {
  clusteredStandardError,
  mean,
  pairedDifference,
  standardError,
  studentInterval,
  tInterval,
} from "../../src/stats/index.ts";
import { clusterDegreesOfFreedom } from "../../src/stats/estimates/clusters.ts";
import { histogramOf } from "./histogram.ts";
import { expect } from "./matchers.ts";

const x = [0.1, 0.4, 0.35, 0.8, 0.9, 0.2, 0.6, 0.75, 0.3, 0.55];

/** The interval of the mean of clustered values. */
const clusteredInterval = (values: readonly number[], clusterIds: readonly (string | number)[]) =>
  pairedDifference(
    values,
    values.map(() => 0),
    { clusterIds },
  ).confidence_interval;

/** Standard error in % of n 0/1 scores of which about `percent` pass. */
function percentError(n: number, percent: number): number {
  const passes = Math.round((n * percent) / 100);
  return 100 * (standardError(Array.from({ length: n }, (_, i) => (i < passes ? 1 : 0))) ?? 0);
}

describe("independent rows", () => {
  test("mean, standard error and Student interval of ten scores", () => {
    expect(mean(x)).toAgreeWith(0.495);
    expect(standardError(x)).toAgreeWith(0.08480369488805702);
    expect(tInterval(x)).toAgreeWith([0.30316071417722823, 0.6868392858227717]);
  });

  test("the fictional table of Miller 2024, whose rates are rounded", () => {
    expect(percentError(5000, 65.5)).toBeCloseTo(0.672, 2);
    expect(percentError(5000, 63)).toBeCloseTo(0.683, 2);
    expect(percentError(2500, 75.3)).toBeCloseTo(0.863, 2);
    expect(percentError(2500, 78)).toBeCloseTo(0.828, 2);
    expect(percentError(164, 83.6)).toBeCloseTo(2.891, 1);
    expect(percentError(164, 86.7)).toBeCloseTo(2.652, 1);
  });

  test("one value has a mean but no error and no interval, no value has nothing", () => {
    expect([mean([0.7]), standardError([0.7]), tInterval([0.7])]).toEqual([0.7, null, null]);
    expect([mean([]), standardError([]), tInterval([])]).toEqual([null, null, null]);
  });

  test("equal values have exactly that mean, error 0 and no interval", () => {
    const equal = Array.from({ length: 10 }, () => 0.1);
    expect([mean(equal), standardError(equal), tInterval(equal)]).toEqual([0.1, 0, null]);
  });

  test("a higher confidence gives a wider interval", () => {
    const [low, high] = tInterval(x, 0.99) ?? [0, 0];
    expect(low).toBeLessThan(0.3031);
    expect(high).toBeGreaterThan(0.6869);
    expect(studentInterval(0.495, standardError(x), 9, 0.99)).toEqual([low, high]);
  });
});

describe("clustered rows", () => {
  const scores = [1, 1, 0, 0, 0, 1, 0, 1, 1, 1, 0];
  const clusterIds = ["a", "a", "a", "b", "b", "b", "b", "c", "c", "c", "d"];

  // Figures of the R package clubSandwich 0.5.8: coef_test and conf_int of lm(y ~ 1) with vcov = "CR2".
  test.each([
    {
      of: "eleven scores",
      y: scores,
      ids: clusterIds,
      error: 0.20851133678504552,
      df: 2.4833702882483371,
      interval: [-0.20348470727581736, 1.2943937981849087],
    },
    {
      of: "one cluster with most of the rows",
      y: x,
      ids: [1, 1, 1, 1, 1, 1, 2, 3, 3, 4],
      error: 0.037564758898615484,
      df: 1.8100558659217882,
      interval: [0.31597901890728958, 0.67402098109271047],
    },
    {
      of: "two clusters",
      y: x,
      ids: [1, 1, 1, 1, 1, 1, 1, 2, 2, 2],
      error: 0.025095057377139136,
      df: 1,
      interval: [0.17613706310002103, 0.81386293689997902],
    },
    {
      of: "five articles",
      y: Array.from({ length: 30 }, (_, i) => (7 * (i + 1)) % 11),
      ids: [12, 6, 5, 4, 3].flatMap((size, id) => Array<number>(size).fill(id)),
      error: 0.2626405470982287,
      df: 3.0681818181818215,
      interval: [4.2745707646682041, 5.9254292353317952],
    },
  ])("CR2 with its degrees of freedom: $of", ({ y, ids, error, df, interval }) => {
    expect(clusteredStandardError(y, ids)).toAgreeWith(error);
    expect(clusterDegreesOfFreedom(histogramOf(ids))).toAgreeWith(df);
    expect(clusteredInterval(y, ids)).toAgreeWith(interval);
  });

  test("with every row its own cluster it is the error of independent rows", () => {
    const alone = [...x.keys()];
    expect(clusteredStandardError(x, alone)).toAgreeWith(0.08480369488805702);
    expect(clusteredInterval(x, alone)).toAgreeWith([0.30316071417722823, 0.6868392858227717]);
  });

  test("clusters of one size have one degree of freedom less than there are", () => {
    expect(clusterDegreesOfFreedom([{ size: 40, count: 10 }])).toAgreeWith(9);
    expect(clusterDegreesOfFreedom([{ size: 1, count: 100_000 }])).toAgreeWith(99_999);
    expect(clusterDegreesOfFreedom([{ size: 7, count: 1 }])).toBeNull();
    expect(clusterDegreesOfFreedom([])).toBeNull();
  });

  test("one cluster has no error", () => {
    expect(clusteredStandardError([1, 0, 1], ["a", "a", "a"])).toBeNull();
    expect(clusteredInterval([1, 0, 1], ["a", "a", "a"])).toBeNull();
    expect(clusteredStandardError([], [])).toBeNull();
  });
});
