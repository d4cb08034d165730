import { describe, test } from "vitest";
import { cohenKappa, fleissKappa, krippendorffAlpha } from "../../src/stats/index.ts";
import { kendallTauBSteps } from "../../src/stats/agreement/correlation.ts";
import { judgeAccuracy } from "../../src/stats/agreement/judge-accuracy.ts";
import { krippendorffAlphaOfTable } from "../../src/stats/agreement/krippendorff.ts";
import { accuracyOf, kappaError, kendallTauB, pearson, spearman } from "../oracle/agreement.ts";
import { seededRandom } from "../../src/stats/numeric/random.ts";
import { expect } from "./matchers.ts";

describe("Cohen's kappa", () => {
  test("of two raters", () => {
    const table = [
      [20, 5],
      [10, 15],
    ];
    expect(cohenKappa(table)).toAgreeWith(0.4);
    expect(kappaError(table)).toAgreeWith(0.12699606293110033);
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

  test("of a table of counts is that of the ratings that it counts", () => {
    const table = [
      [3, 1, 0],
      [2, 4, 1],
      [0, 0, 5],
    ];
    const ratings = table.flatMap((row, i) =>
      row.flatMap((count, j) => Array.from({ length: count }, () => [i, j])),
    );
    expect(krippendorffAlphaOfTable(table)).toAgreeWith(krippendorffAlpha(ratings) ?? Number.NaN);
    expect(krippendorffAlphaOfTable([[0]])).toBeNull();
  });
});

const tau = (x: readonly number[], y: readonly number[]) => {
  const steps = kendallTauBSteps(x.map((value, i) => ({ x: value, y: y[i] ?? 0, count: 1 })));
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
};

describe("correlation", () => {
  const a = [1, 2, 3, 4, 5, 5, 6];
  const b = [2, 1, 4, 3, 5, 7, 6];

  test("by value, by rank and by pairs", () => {
    expect(pearson(a, b)).toAgreeWith(0.8574929257125442);
    expect(spearman(a, b)).toAgreeWith(0.8648999641877367);
    expect(tau(a, b)).toAgreeWith(0.6831300510639733);
  });

  test("Kendall's tau is that of all pairs compared with one another", () => {
    const random = seededRandom(3);
    for (const levels of [2, 5, 1000]) {
      const x = Array.from({ length: 60 }, () => Math.floor(random() * levels));
      const y = x.map((value) => (random() < 0.5 ? value : Math.floor(random() * levels)));
      expect(tau(x, y)).toAgreeWith(kendallTauB(x, y) ?? Number.NaN);
    }
  });

  test("does not exist where one side is constant", () => {
    expect(tau([1, 2, 3], [0.1, 0.1, 0.1])).toBeNull();
    expect(tau([1], [2])).toBeNull();
  });
});

const tableOf = (human: readonly boolean[], judge: readonly boolean[]) => {
  const count = (truth: boolean, said: boolean) =>
    human.filter((one, i) => one === truth && judge[i] === said).length;
  return [
    [count(false, false), count(false, true)],
    [count(true, false), count(true, true)],
  ] as const;
};

describe("a judge against people", () => {
  test("accuracy, precision, recall and F1", () => {
    const human = [true, true, true, false, false, false, true];
    const judge = [true, true, false, true, false, false, true];
    expect(judgeAccuracy(tableOf(human, judge))).toEqual({
      n: 7,
      accuracy: 5 / 7,
      precision: 3 / 4,
      recall: 3 / 4,
      f1: 6 / 8,
    });
    expect(judgeAccuracy(tableOf(human, judge))).toEqual(accuracyOf(human, judge));
  });

  test("a share without rows to divide by does not exist", () => {
    expect(judgeAccuracy(tableOf([false], [false]))).toEqual({
      n: 1,
      accuracy: 1,
      precision: null,
      recall: null,
      f1: null,
    });
    expect(judgeAccuracy(tableOf([], [])).accuracy).toBeNull();
  });
});
