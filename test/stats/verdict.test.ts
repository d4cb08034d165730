import { describe, test } from "vitest";
import {
  chooseInterval,
  clusterDegreesOfFreedom,
  clusteredInterval,
  clusteredStandardError,
  equivalenceTest,
  mean,
  pairedDifference,
  pooledStandardError,
  standardError,
  studentTest,
  tInterval,
  tost,
  verdict,
  wilson,
} from "../../src/stats/index.ts";
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
    expect(chosen.confidence_interval).toAgreeWith(clusteredInterval(x, ids) ?? []);
    expect(chooseInterval(rows(x, { clusterDf: null })).confidence_interval).toBeNull();
  });

  test("does not exist for one row, no row, and equal continuous scores", () => {
    for (const values of [[], [1], [0.5, 0.5]])
      expect(chooseInterval(rows(values))).toEqual({ confidence_interval: null, interval_method: null });
  });
});

describe("the verdict", () => {
  test("follows the adjusted p value and the direction", () => {
    expect(verdict({ difference: 0.1, p_value: 0.01 })).toBe("improved");
    expect(verdict({ difference: -0.1, p_value: 0.01 })).toBe("regressed");
    expect(verdict({ difference: -0.1, p_value: 0.01, lowerIsBetter: true })).toBe("improved");
    expect(verdict({ difference: 0.1, p_value: 0.01, lowerIsBetter: true })).toBe("regressed");
    expect(verdict({ difference: 0.1, p_value: 0.06 })).toBe("inconclusive");
    expect(verdict({ difference: 0.1, p_value: 0.06, confidence: 0.9 })).toBe("improved");
    expect(verdict({ difference: null, p_value: null })).toBe("inconclusive");
  });

  test("is given where the p value is at most the level", () => {
    const level = 1 - 0.95;
    expect(verdict({ difference: 0.1, p_value: level })).toBe("improved");
    expect(verdict({ difference: 0, p_value: 0.9, equivalence_p_value: level })).toBe("equivalent");
  });

  test("is equivalent only where that is tested", () => {
    expect(verdict({ difference: 0.001, p_value: 0.9, equivalence_p_value: 0.01 })).toBe("equivalent");
    expect(verdict({ difference: 0.001, p_value: 0.9, equivalence_p_value: 0.2 })).toBe("inconclusive");
    expect(verdict({ difference: 0.001, p_value: 0.01, equivalence_p_value: 0.01 })).toBe("improved");
  });
});

describe("tests from sums", () => {
  test("are those from the values", () => {
    const zeros = x.map(() => 0);
    const { difference, standard_error, t, p_value } = pairedDifference(x, zeros);
    expect(studentTest(difference, standard_error, x.length - 1)).toEqual({ t, p_value });
    expect({ n: x.length, ...equivalenceTest(difference, standard_error, x.length - 1, 0.7) }).toEqual(
      tost(x, { margin: 0.7 }),
    );
  });

  test("do not exist without a spread", () => {
    expect(studentTest(1, 0, 9)).toEqual({ t: null, p_value: null });
    expect(studentTest(null, null, 9)).toEqual({ t: null, p_value: null });
  });
});

describe("pooled standard errors", () => {
  test("of groups of one size and error are that of all of them", () => {
    const group = { n: 50, standard_error: 0.02 };
    expect(pooledStandardError([group, group, group, group]) ?? 0).toAgreeWith(0.01, 1e-12);
    expect(pooledStandardError([group, group], { weights: "equal" }) ?? 0).toAgreeWith(
      0.02 / Math.SQRT2,
      1e-12,
    );
  });

  test("weigh groups by their size: √(Σ(n − 1) n se² / (N − k) / N)", () => {
    const groups = [
      { n: 10, standard_error: 0.1 },
      { n: 30, standard_error: 0.05 },
    ];
    const expected = Math.sqrt((9 * 10 * 0.01 + 29 * 30 * 0.0025) / 38 / 40);
    expect(pooledStandardError(groups) ?? 0).toAgreeWith(expected, 1e-12);
  });

  test("do not exist without groups, or where none has two values", () => {
    expect(pooledStandardError([])).toBeNull();
    expect(pooledStandardError([{ n: 1, standard_error: 0 }])).toBeNull();
    expect(() => pooledStandardError([{ n: 0, standard_error: 1 }])).toThrow("n to be");
  });
});
