import { describe, test } from "vitest";
import {
  clusteredStandardError,
  mean,
  pairedDifference,
  standardError,
  tInterval,
  tost,
  wilson,
} from "../../src/stats/index.ts";
import { chooseInterval } from "../../src/stats/estimates/choose-interval.ts";
import { clusterDegreesOfFreedom } from "../../src/stats/estimates/clusters.ts";
import { equivalenceTest, studentTest } from "../../src/stats/tests/paired.ts";
import { verdict } from "../../src/stats/tests/verdict.ts";
import { histogramOf } from "./histogram.ts";
import { expect } from "./matchers.ts";

const x = [0.1, 0.4, 0.35, 0.8, 0.9, 0.2, 0.6, 0.75, 0.3, 0.55];
const rows = (
  values: readonly number[],
  others: { zeroOne?: boolean; single?: boolean; clusterDf?: number | null } = {},
) => ({
  n: values.length,
  mean: mean(values),
  standardError: standardError(values),
  zeroOne: false,
  single: true,
  ...others,
});

describe("the chosen interval", () => {
  test("is Student's for continuous scores", () => {
    expect(chooseInterval(rows(x))).toEqual({
      confidence_interval: tInterval(x),
      interval_method: "student-t",
    });
  });

  test("is Wilson's for 0/1 scores of one trial a row", () => {
    const passes = [1, 1, 1, 0, 1, 1, 0, 1, 1, 1];
    expect(chooseInterval(rows(passes, { zeroOne: true }), 0.9)).toEqual({
      confidence_interval: wilson(8, 10, 0.9),
      interval_method: "wilson",
    });
  });

  // statsmodels 0.15.0: proportion_confint(0.625 n, n, method="wilson") with n = 0.625 (1 - 0.625) / 0.1613743060919757².
  test("is Wilson's with the effective number for means of 0/1 trials", () => {
    const { confidence_interval, interval_method } = chooseInterval(
      rows([0.5, 0.25, 1, 0.75], { zeroOne: true, single: false }),
    );
    expect(interval_method).toBe("wilson");
    expect(confidence_interval).toAgreeWith([0.32019264536691827, 0.8550210925281957]);
  });

  test("is Wilson's over rows where means of 0/1 trials have no spread", () => {
    expect(chooseInterval(rows([1, 1, 1], { zeroOne: true, single: false }))).toEqual({
      confidence_interval: wilson(3, 3),
      interval_method: "wilson",
    });
  });

  test("is clustered where there are clusters", () => {
    const ids = x.map((_, i) => i % 4);
    const clusterDf = clusterDegreesOfFreedom(histogramOf(ids));
    const clustered = { ...rows(x, { clusterDf }), standardError: clusteredStandardError(x, ids) };
    const chosen = chooseInterval(clustered);
    expect(chosen.interval_method).toBe("clustered-t");
    const zeros = x.map(() => 0);
    const { confidence_interval } = pairedDifference(x, zeros, { clusterIds: ids });
    expect(chosen.confidence_interval).toAgreeWith(confidence_interval ?? []);
    expect(chooseInterval(rows(x, { clusterDf: null })).confidence_interval).toBeNull();
  });

  test("does not exist for one row, no row, and equal continuous scores", () => {
    for (const values of [[], [1], [0.5, 0.5]])
      expect(chooseInterval(rows(values))).toEqual({ confidence_interval: null, interval_method: null });
  });
});

const judged = (difference: number | null, p: number | null, equivalence: number | null = null) =>
  verdict({ difference, p, equivalence }, 1 - 0.95, false);

describe("the verdict", () => {
  test("follows the adjusted p value and the direction", () => {
    expect(judged(0.1, 0.01)).toBe("improved");
    expect(judged(-0.1, 0.01)).toBe("regressed");
    expect(verdict({ difference: -0.1, p: 0.01, equivalence: null }, 0.05, true)).toBe("improved");
    expect(verdict({ difference: 0.1, p: 0.01, equivalence: null }, 0.05, true)).toBe("regressed");
    expect(judged(0.1, 0.06)).toBe("inconclusive");
    expect(verdict({ difference: 0.1, p: 0.06, equivalence: null }, 0.1, false)).toBe("improved");
    expect(judged(null, null)).toBe("inconclusive");
  });

  test("is given where the p value is at most the level", () => {
    expect(judged(0.1, 1 - 0.95)).toBe("improved");
    expect(judged(0, 0.9, 1 - 0.95)).toBe("equivalent");
  });

  test("is equivalent only where that is tested", () => {
    expect(judged(0.001, 0.9, 0.01)).toBe("equivalent");
    expect(judged(0.001, 0.9, 0.2)).toBe("inconclusive");
    expect(judged(0.001, 0.01, 0.01)).toBe("improved");
  });
});

describe("tests from sums", () => {
  test("are those from the values", () => {
    const zeros = x.map(() => 0);
    const { difference, standard_error, t, p_value } = pairedDifference(x, zeros);
    expect(studentTest(difference, standard_error, x.length - 1)).toEqual({ t, p_value });
    expect(tost(x, { margin: 0.7 })).toMatchObject(
      equivalenceTest(difference, standard_error, x.length - 1, 0.7),
    );
  });

  test("do not exist without a spread", () => {
    expect(studentTest(1, 0, 9)).toEqual({ t: null, p_value: null });
    expect(studentTest(null, null, 9)).toEqual({ t: null, p_value: null });
  });
});
