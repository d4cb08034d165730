import { describe, test } from "vitest";
import {
  clusteredStandardError,
  mcnemar,
  pairedDifference,
  signFlip,
  standardError,
  tost,
  wilcoxonSignedRank,
} from "../../src/stats/index.ts";
import { pearson } from "../oracle/agreement.ts";
import { expect } from "./matchers.ts";

const a = [1, 1, 1, 0, 1, 1, 0, 1, 1, 1];
const b = [1, 0, 1, 0, 1, 0, 0, 1, 0, 1];
const darwin = [6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75];
const corrected = (x: number, y: number) => mcnemar(x, y, { method: "chi-square-cc" });

describe("the paired difference of two runs", () => {
  test("ten rows", () => {
    const result = pairedDifference(a, b);
    expect(result.n).toBe(10);
    expect(result.difference).toAgreeWith(0.3);
    expect(result.standard_error).toAgreeWith(0.15275252316519464);
    expect(result.t).toAgreeWith(1.9639610121239315);
    expect(result.p_value).toAgreeWith(0.08112618884584057);
    expect(result.confidence_interval).toAgreeWith([-0.045550214414, 0.645550214414]);
  });

  test("pairing takes out what the rows share: ρ = ½ here", () => {
    const [errorA, errorB] = [standardError(a) ?? 0, standardError(b) ?? 0];
    const rho = pearson(a, b) ?? 0;
    expect(rho).toAgreeWith(0.5);
    expect(Math.hypot(errorA, errorB)).toAgreeWith(0.21343747458109497);
    expect(Math.sqrt(errorA ** 2 + errorB ** 2 - 2 * rho * errorA * errorB)).toAgreeWith(0.15275252316519464);
  });

  test("clusters change the error and its degrees of freedom", () => {
    const clusterIds = [1, 1, 2, 2, 3, 3, 4, 4, 5, 5];
    const clustered = pairedDifference(a, b, { clusterIds });
    const d = a.map((value, i) => value - (b[i] ?? 0));
    expect(clustered.standard_error).toAgreeWith(clusteredStandardError(d, clusterIds) ?? 0);
    const half = 2.7764451051977934 * (clustered.standard_error ?? 0);
    expect(clustered.confidence_interval).toAgreeWith([0.3 - half, 0.3 + half]);
    // Figures of the R package clubSandwich 0.5.8, as in mean.test.ts.
    const uneven = pairedDifference(a, b, { clusterIds: [1, 1, 1, 1, 2, 2, 3, 3, 3, 4] });
    expect(uneven.standard_error).toAgreeWith(0.061721339984836775);
    expect(uneven.confidence_interval).toAgreeWith([0.072103703247261203, 0.52789629675273875]);
  });

  test("one row has a difference and nothing else", () => {
    expect(pairedDifference([1], [0.5])).toEqual({
      n: 1,
      difference: 0.5,
      standard_error: null,
      t: null,
      p_value: null,
      confidence_interval: null,
    });
    expect(pairedDifference([], []).difference).toBeNull();
  });

  test("differences equal up to rounding are no evidence", () => {
    const result = pairedDifference([0.8, 0.9], [0.7, 0.8]);
    expect(result).toMatchObject({ standard_error: 0, t: null, p_value: null, confidence_interval: null });
  });
});

describe("McNemar", () => {
  test.each([
    { b: 1, c: 11, exact: 0.00634765625, midP: 0.00341796875, chi: 0.003892417122778637 },
    { b: 3, c: 0, exact: 0.25, midP: 0.125, chi: 0.08326451666355042 },
    { b: 10, c: 25, exact: 0.016673847800120715, midP: 0.011330984183587134, chi: 0.011229886652916672 },
  ])("$b against $c discordant rows", (row) => {
    expect(mcnemar(row.b, row.c).p_value).toAgreeWith(row.exact);
    expect(mcnemar(row.b, row.c, { method: "mid-p" }).p_value).toAgreeWith(row.midP);
    expect(mcnemar(row.b, row.c, { method: "chi-square" }).p_value).toAgreeWith(row.chi);
    expect(mcnemar(row.c, row.b)).toEqual(mcnemar(row.b, row.c));
  });

  test("continuity-corrected statistics", () => {
    expect(corrected(1, 11).statistic).toAgreeWith(6.75);
    expect(corrected(1, 11).p_value).toAgreeWith(0.0093747684594349);
    expect(corrected(3, 0).statistic).toAgreeWith(4 / 3);
    expect(corrected(3, 0).p_value).toAgreeWith(0.24821307898992026);
    expect(corrected(10, 25).statistic).toAgreeWith(5.6);
    expect(corrected(10, 25).p_value).toAgreeWith(0.01796047752607879);
  });

  test("the approval ratings of Agresti", () => {
    const { statistic, p_value } = mcnemar(86, 150, { method: "chi-square" });
    expect(statistic).toAgreeWith(17.35593220338983);
    expect(p_value).toAgreeWith(3.0993e-5, 1e-5);
  });

  test("no discordant row is no evidence by any method", () => {
    for (const method of ["exact", "mid-p", "chi-square", "chi-square-cc"] as const) {
      expect(mcnemar(0, 0, { method })).toEqual({ p_value: 1 });
    }
  });

  test("as many rows on one side as on the other is no evidence by mid-p", () => {
    for (const rows of [1, 2, 30]) expect(mcnemar(rows, rows, { method: "mid-p" })).toEqual({ p_value: 1 });
  });

  test("8 against 2 is the binomial test of 8 in 10", () => {
    expect(mcnemar(8, 2).p_value).toAgreeWith(0.109375);
  });
});

describe("the signed rank test", () => {
  test("Darwin's maize, exact by default", () => {
    const exact = wilcoxonSignedRank(darwin);
    expect(exact).toMatchObject({ statistic: 24, method: "exact", zeros: 0 });
    expect(exact.p_value).toAgreeWith(0.041259765625);
    expect(exact.p_value / 2).toAgreeWith(0.0206298828125);
    expect(wilcoxonSignedRank(darwin, { method: "asymptotic" }).p_value).toAgreeWith(0.04088813291185591);
  });

  test("drops zeros and corrects the normal approximation for ties", () => {
    const tied = [1, 1, 2, -2, 3, 0, -1, 4, 4, 5, -3, 2, 6];
    const result = wilcoxonSignedRank(tied);
    expect(result).toMatchObject({ statistic: 14.5, method: "asymptotic", zeros: 1 });
    expect(result.p_value).toAgreeWith(0.05368455874274253);
    expect(wilcoxonSignedRank(tied, { method: "exact" }).p_value).toAgreeWith(0.05908203125);
  });

  test("ties sizes that differ by rounding alone", () => {
    const thirds = [1 - 2 / 3, 1 / 3, -(2 / 3 - 1 / 3)];
    expect(wilcoxonSignedRank(thirds)).toMatchObject({ statistic: 2, method: "asymptotic" });
  });

  test("nothing but zeros is no evidence", () => {
    expect(wilcoxonSignedRank([0, 0])).toEqual({ p_value: 1, statistic: 0, method: "exact", zeros: 2 });
    expect(wilcoxonSignedRank([0], { method: "asymptotic" }).p_value).toBe(1);
  });
});

describe("the sign-flip test", () => {
  test("is exact for few differences", () => {
    expect(signFlip([1, 1, 0, 1, 1, -1, 1, 1])).toEqual({
      p_value: 0.125,
      statistic: 0.625,
      method: "exact",
    });
  });

  test("counts sums that differ by rounding alone as equal", () => {
    expect(signFlip([0.1, 0.2, 0.3]).p_value).toBe(0.25);
    expect(signFlip([0.3, -0.1, -0.2]).p_value).toBe(1);
  });

  test("draws seeded signs for many differences, never p = 0", () => {
    const d = Array.from({ length: 40 }, (_, i) => 1 + i / 100);
    expect(signFlip(d, { seed: 3 })).toMatchObject({
      p_value: 1 / 2001,
      method: "monte-carlo",
      seed: 3,
      resamples: 2000,
    });
    const mixed = d.map((value, i) => (i % 3 === 0 ? -value : value));
    expect(signFlip(mixed, { seed: 3 })).toEqual(signFlip(mixed, { seed: 3 }));
    expect(signFlip(mixed, { seed: 4 }).p_value).toBeCloseTo(signFlip(mixed, { seed: 3 }).p_value, 1);
  });

  test("no difference is no evidence", () => {
    expect(signFlip([0, 0, 0])).toEqual({ p_value: 1, statistic: 0, method: "exact" });
    expect(signFlip([])).toEqual({ p_value: 1, method: "exact" });
  });
});

describe("equivalence", () => {
  const d = [0.02, -0.01, 0.03, 0, -0.02, 0.01, 0.04, -0.03];

  test("two one-sided tests", () => {
    const result = tost(d, { margin: 0.1 });
    expect(result.difference).toAgreeWith(0.005);
    expect(result.standard_error).toAgreeWith(0.008660254037844385);
    expect(result.p_lower).toAgreeWith(2.9665377779190007e-6);
    expect(result.p_upper).toAgreeWith(5.793667502859691e-6);
    expect(result.p_value).toBe(result.p_upper);
  });

  test("p < α exactly where the 1 − 2α interval lies inside the margin", () => {
    const zeros = d.map(() => 0);
    const [low = 0, high = 0] = pairedDifference(d, zeros, { confidence: 0.9 }).confidence_interval ?? [];
    const edge = Math.max(-low, high);
    expect(tost(d, { margin: edge * 1.0001 }).p_value).toBeLessThan(0.05);
    expect(tost(d, { margin: edge * 0.9999 }).p_value).toBeGreaterThan(0.05);
  });

  test("needs differences that vary", () => {
    expect(tost([0.01, 0.01], { margin: 0.1 })).toMatchObject({ standard_error: 0, p_value: null });
    expect(tost([0.01], { margin: 0.1 }).p_value).toBeNull();
  });
});
