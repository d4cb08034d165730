import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  chanceText,
  counted,
  datasetText,
  differenceIntervalText,
  differenceText,
  intervalName,
  intervalText,
  meanText,
  meanWithHalf,
  numberText,
  outOf,
  probabilityText,
  sizesText,
  sizeText,
} from "../../src/words/figures.ts";

/** What the language's own formatter says. */
const formatted = (value: number, digits: number) =>
  value
    .toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })
    .replace("-", "−");
const decimals = (size: number) => (size >= 1000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : 4);

describe("a figure", () => {
  it.each([
    [0.9621, "96.2%"],
    [0, "0.0%"],
    [1, "100.0%"],
    [null, "–"],
  ])("of true and false is a percentage: %s", (value, text) => {
    expect(meanText(value, "binary")).toBe(text);
  });

  it.each([
    [-0.00455, "−0.5 points"],
    [0.0043, "+0.4 points"],
    [0.000499, "+0.05 points"],
    [-0.000036, "−0.004 points"],
    [1e-9, "+1e−7 points"],
    [0, "0.0 points"],
    [-0, "0.0 points"],
    [-1, "−100.0 points"],
    [null, "–"],
  ])("of a difference of shares is in points: %s", (value, text) => {
    expect(differenceText(value, "binary")).toBe(text);
  });

  it.each([
    [1234.5, "1,235"],
    [9_999_999, "9,999,999"],
    [10_000_000, "1.00e+7"],
    [999.44, "999.4"],
    [100, "100.0"],
    [99.994, "99.99"],
    [1, "1.00"],
    [0.71666, "0.7167"],
    [0.001, "0.0010"],
    [0.0009994, "9.99e−4"],
    [0, "0.0000"],
    [-0, "0.0000"],
    [-7.6, "−7.60"],
    [-0.00012, "−1.20e−4"],
    [-1234567, "−1,234,567"],
  ])("of numbers has as many digits as its size needs: %s", (value, text) => {
    expect(numberText(value)).toBe(text);
    expect(meanText(value, "continuous")).toBe(text);
  });

  it("is rounded and grouped as the language's own formatter does it", () => {
    const anyNumber = fc.double({ min: -9_999_999, max: 9_999_999, noNaN: true });
    const halves = fc.integer({ min: 1, max: 99_999_999 }).map((n) => (n * 10 + 5) / 100_000);
    fc.assert(
      fc.property(fc.oneof(anyNumber, halves), (value) => {
        const size = Math.abs(value);
        fc.pre(size >= 0.001);
        expect(numberText(value)).toBe(formatted(value, decimals(size)));
        expect(meanText(value, "binary")).toBe(`${formatted(value * 100, 1)}%`);
        expect(counted(Math.trunc(size), "row")).toContain(`${formatted(Math.trunc(size), 0)} row`);
      }),
    );
  });

  it("of a difference of numbers has its sign and no unit", () => {
    expect([0.05, -7.6, 0, 12345].map((value) => differenceText(value, "continuous"))).toEqual([
      "+0.0500",
      "−7.60",
      "0.0000",
      "+12,345",
    ]);
    expect([sizeText(-0.012, "binary"), sizeText(-2, "continuous")]).toEqual(["1.2 points", "2.00"]);
    expect([sizesText(0.009, 0.031, "binary"), sizesText(0.009, 0.0091, "binary")]).toEqual([
      "0.9 to 3.1 points",
      "0.9 points",
    ]);
  });

  it("of an interval has both ends", () => {
    expect(intervalText([0.315, 0.525], "binary")).toBe("31.5% to 52.5%");
    expect(differenceIntervalText([-0.013, 0.004], "binary")).toBe("−1.3 to +0.4");
    expect(differenceIntervalText([-1.068, 1.168], "continuous")).toBe("−1.07 to +1.17");
    expect([intervalText(null, "binary"), differenceIntervalText(null, "binary")]).toEqual(["–", "–"]);
    // Ends that were moved beside 0.
    expect(differenceIntervalText([2.949e-12, 5.1e-6], "money")).toBe("0 to +0.0000051");
    expect(differenceIntervalText([-0.2, -1e-7], "binary")).toBe("−20.0 to 0.0");
    expect(meanWithHalf(0.962, [0.952, 0.972], "binary")).toBe("96.2% ± 1.0");
    expect(meanWithHalf(109.5, [106.7, 112.3], "continuous")).toBe("109.5 ± 2.8");
    expect([0.95, 0.9, 0.995, 0.999].map(intervalName)).toEqual([
      "95% interval",
      "90% interval",
      "99.5% interval",
      "99.9% interval",
    ]);
  });

  it.each([
    [0.3768, "p = 0.38", "0.38"],
    [0.4, "p = 0.40", "0.40"],
    [0.00011, "p = 0.00011", "0.00011"],
    [0.0001, "p = 0.00010", "0.00010"],
    [0.000099, "p < 0.0001", "< 0.0001"],
    [1, "p = 1.0", "1.0"],
    [null, "p = –", "–"],
  ])("of chance has two significant digits: %s", (p, said, shown) => {
    expect([chanceText(p), probabilityText(p)]).toEqual([said, shown]);
  });

  it("of a count has commas, and its noun", () => {
    expect([counted(1, "row"), counted(0, "row"), counted(17828, "trial")]).toEqual([
      "1 row",
      "0 rows",
      "17,828 trials",
    ]);
    expect([outOf(1318, 1319), outOf(1319, 1319)]).toEqual(["1,318 of 1,319", "1,319"]);
  });
});

describe("what an evaluation ran on", () => {
  const digest = "9f3ac1d2b3e4";
  it.each([
    ["svc:///acme/qa/object/support:v1", 60, digest, "support:v1"],
    ["svc:///acme/qa/object/support:latest", 60, digest, "support"],
    ["support", 0, null, "support"],
    [null, 1234, digest, "1,234 rows (9f3ac1)"],
    [null, 1, digest, "1 row (9f3ac1)"],
    [null, 0, null, "–"],
  ])("is its name, else its rows: %s, %s", (dataset, row_count, rows_digest, text) => {
    expect(datasetText(dataset, { row_count, rows_digest })).toBe(text);
  });
});
