import { describe, test } from "vitest";
import {
  cohenKappa,
  fleissKappa,
  judgeAccuracy,
  kappaStandardError,
  kendallTauB,
  krippendorffAlpha,
  pearson,
  spearman,
} from "../../src/stats/index.ts";
import { seededRandom } from "../../src/stats/numeric/random.ts";
import { expect } from "./matchers.ts";

describe("Cohen's kappa", () => {
  test("of two raters, with its standard errors", () => {
    const table = [
      [20, 5],
      [10, 15],
    ];
    expect(cohenKappa(table)).toAgreeWith(0.4);
    expect(kappaStandardError(table)?.standard_error).toAgreeWith(0.12699606293110033);
    expect(kappaStandardError(table)?.null_standard_error).toAgreeWith(0.13856406460551018);
  });

  test("differs for two tables of equal raw agreement", () => {
    expect(
      cohenKappa([
        [45, 15],
        [25, 15],
      ]),
    ).toAgreeWith(0.13043478260869565);
    expect(
      cohenKappa([
        [25, 35],
        [5, 35],
      ]),
    ).toAgreeWith(0.25925925925925924);
  });

  test("weighs the distance of ordered categories", () => {
    const table = [
      [10, 2, 0],
      [3, 8, 4],
      [0, 1, 12],
    ];
    expect(cohenKappa(table)).toAgreeWith(0.6265172735760971);
    expect(cohenKappa(table, { weights: "linear" })).toAgreeWith(0.7206703910614525);
    expect(cohenKappa(table, { weights: "quadratic" })).toAgreeWith(0.8142989786443825);
  });

  test("does not exist where chance alone agrees fully", () => {
    expect(
      cohenKappa([
        [7, 0],
        [0, 0],
      ]),
    ).toBeNull();
    expect(
      kappaStandardError([
        [7, 0],
        [0, 0],
      ]),
    ).toBeNull();
    expect(cohenKappa([])).toBeNull();
    expect(
      cohenKappa([
        [0, 0],
        [0, 0],
      ]),
    ).toBeNull();
  });
});

describe("Fleiss' kappa", () => {
  test("of ten subjects, five categories and fourteen raters", () => {
    const table = [
      [0, 0, 0, 0, 14],
      [0, 2, 6, 4, 2],
      [0, 0, 3, 5, 6],
      [0, 3, 9, 2, 0],
      [2, 2, 8, 1, 1],
      [7, 7, 0, 0, 0],
      [3, 2, 6, 3, 0],
      [2, 5, 3, 2, 2],
      [6, 5, 2, 1, 0],
      [0, 2, 2, 3, 7],
    ];
    expect(fleissKappa(table)).toAgreeWith(0.20993070442195522);
  });

  test("does not exist where only one category is used", () => {
    expect(
      fleissKappa([
        [3, 0],
        [3, 0],
      ]),
    ).toBeNull();
    expect(fleissKappa([])).toBeNull();
  });
});

describe("Krippendorff's alpha", () => {
  test("of units that two raters always see differently", () => {
    expect(
      krippendorffAlpha([
        [0, 1],
        [0, 1],
        [1, 0],
        [1, 0],
      ]),
    ).toAgreeWith(-0.75);
  });

  test("of twelve units with missing ratings", () => {
    const raters = [
      [1, 2, 3, 3, 2, 1, 4, 1, 2, null, null, null],
      [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, null, 3],
      [null, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, null],
      [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, null],
    ];
    const units = Array.from({ length: 12 }, (_, unit) => raters.map((ratings) => ratings[unit] ?? null));
    expect(krippendorffAlpha(units)).toAgreeWith(0.743421052631579);
  });

  test("is 1 where all ratings are alike and does not exist without a pair", () => {
    expect(
      krippendorffAlpha([
        ["yes", "yes"],
        ["yes", "yes"],
      ]),
    ).toBe(1);
    expect(
      krippendorffAlpha([
        ["yes", null],
        [null, "no"],
      ]),
    ).toBeNull();
  });
});

describe("correlation", () => {
  const a = [1, 2, 3, 4, 5, 5, 6];
  const b = [2, 1, 4, 3, 5, 7, 6];

  test("by value, by rank and by pairs", () => {
    expect(pearson(a, b)).toAgreeWith(0.8574929257125442);
    expect(spearman(a, b)).toAgreeWith(0.8648999641877367);
    expect(kendallTauB(a, b)).toAgreeWith(0.6831300510639733);
  });

  test("Kendall's tau is that of all pairs compared with one another", () => {
    const random = seededRandom(3);
    for (const levels of [2, 5, 1000]) {
      const x = Array.from({ length: 60 }, () => Math.floor(random() * levels));
      const y = x.map((value) => (random() < 0.5 ? value : Math.floor(random() * levels)));
      const pairs = x.flatMap((_, i) => x.slice(0, i).map((_other, j) => [i, j] as const));
      const signs = (list: readonly number[]) =>
        pairs.map(([i, j]) => Math.sign((list[i] ?? 0) - (list[j] ?? 0)));
      const [dx, dy] = [signs(x), signs(y)];
      const score = dx.reduce((sum, sign, i) => sum + sign * (dy[i] ?? 0), 0);
      expect(kendallTauB(x, y)).toAgreeWith(
        score / Math.sqrt(dx.filter(Boolean).length * dy.filter(Boolean).length),
      );
    }
  });

  test("does not exist where one side is constant", () => {
    for (const correlation of [pearson, spearman, kendallTauB]) {
      expect(correlation([1, 2, 3], [0.1, 0.1, 0.1])).toBeNull();
      expect(correlation([1], [2])).toBeNull();
    }
  });
});

describe("a judge against people", () => {
  test("accuracy, precision, recall and F1", () => {
    const human = [true, true, true, false, false, false];
    const judge = [true, true, false, true, false, false];
    expect(judgeAccuracy(human, judge)).toEqual({
      n: 6,
      accuracy: 4 / 6,
      precision: 2 / 3,
      recall: 2 / 3,
      f1: 2 / 3,
    });
  });

  test("a share without rows to divide by does not exist", () => {
    expect(judgeAccuracy([false], [false])).toEqual({
      n: 1,
      accuracy: 1,
      precision: null,
      recall: null,
      f1: null,
    });
    expect(judgeAccuracy([], []).accuracy).toBeNull();
  });
});
