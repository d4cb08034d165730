import { describe, test } from "vitest";
import {
  clusteredInterval,
  clusteredStandardError,
  mean,
  percentile,
  standardError,
  studentInterval,
  tInterval,
} from "../../src/stats/index.ts";
import { expect } from "./matchers.ts";

const x = [0.1, 0.4, 0.35, 0.8, 0.9, 0.2, 0.6, 0.75, 0.3, 0.55];

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

  test("CR0, CR1 and the error of independent rows", () => {
    expect(mean(scores)).toAgreeWith(0.5454545454545454);
    expect(standardError(scores)).toAgreeWith(0.15745916432444337);
    expect(clusteredStandardError(scores, clusterIds, { correction: "CR0" })).toAgreeWith(0.1745348105945692);
    expect(clusteredStandardError(scores, clusterIds, { correction: "CR1" })).toAgreeWith(
      0.20153543975946978,
    );
  });

  test("CR1 is the default", () => {
    expect(clusteredStandardError(scores, clusterIds)).toAgreeWith(0.20153543975946978);
  });

  test("CR0 and the independent error give the error that Miller 2024 prints", () => {
    const cr0 = clusteredStandardError(scores, clusterIds, { correction: "CR0" }) ?? 0;
    const independent = standardError(scores) ?? 0;
    expect(Math.sqrt(cr0 ** 2 + independent ** 2 / scores.length)).toAgreeWith(0.18087660023338253);
  });

  test("with every row its own cluster CR1 is the error of independent rows", () => {
    expect(clusteredStandardError(x, [...x.keys()])).toAgreeWith(0.08480369488805702);
    expect(clusteredInterval(x, [...x.keys()])).toAgreeWith([0.30316071417722823, 0.6868392858227717]);
  });

  test("the interval uses Student's t with one degree less than there are clusters", () => {
    const half = 3.182446305284263 * 0.20153543975946978;
    expect(clusteredInterval(scores, clusterIds)).toAgreeWith([6 / 11 - half, 6 / 11 + half]);
  });

  test("one cluster has no error", () => {
    expect(clusteredStandardError([1, 0, 1], ["a", "a", "a"])).toBeNull();
    expect(clusteredInterval([1, 0, 1], ["a", "a", "a"])).toBeNull();
    expect(clusteredStandardError([], [])).toBeNull();
  });
});

describe("percentiles", () => {
  test("interpolate linearly, whatever the order of the values", () => {
    const values = [10, 3, 1, 4, 2];
    expect(percentile(values, 50)).toBe(3);
    expect(percentile(values, 90)).toAgreeWith(7.6);
    expect(percentile(values, 95)).toAgreeWith(8.8);
    expect(percentile(values, 99)).toAgreeWith(9.76);
    expect([percentile(values, 0), percentile(values, 100)]).toEqual([1, 10]);
  });

  test("do not exist without values", () => {
    expect(percentile([], 50)).toBeNull();
  });
});
