import { describe, expect, it } from "vitest";
import { cohenKappa, krippendorffAlpha } from "../../src/stats/index.ts";
import { accuracyOf, kappaError, kendallTauB, pearson, spearman } from "../oracle/agreement.ts";
import { seededRandom } from "../../src/stats/numeric/random.ts";
import { ask, engineOf, type Pair, type Value } from "./pair-engine.ts";

/** Pairs of values as a table counts them. */
function pairsOf<T extends Value>(table: readonly (readonly number[])[], values: readonly T[]): [T, T][] {
  return table.flatMap((row, i) =>
    row.flatMap((count, j) =>
      Array.from({ length: count }, (): [T, T] => [values[i] ?? values[0], values[j] ?? values[0]] as [T, T]),
    ),
  );
}

function width([low, high]: readonly [number, number]): number {
  return high - low;
}

describe("the agreement of booleans", () => {
  it("has Cohen's published kappa, with its neighbours", async () => {
    const pairs = pairsOf(
      [
        [20, 5],
        [10, 15],
      ],
      [true, false],
    );
    const answer = await ask(await engineOf(pairs));
    expect(answer).toMatchObject({ n_both: 50, n_only_a: 0, n_only_b: 0, row_count: 50, raw_agreement: 0.7 });
    expect(answer.cohen_kappa).toBeCloseTo(0.4, 12);
    expect(answer.confusion_matrix).toEqual({
      categories: [false, true],
      counts: [
        [15, 10],
        [5, 20],
      ],
    });
    expect(answer.judge).toEqual(
      accuracyOf(
        pairs.map(([a]) => a),
        pairs.map(([, b]) => b),
      ),
    );
    expect(answer.krippendorff_alpha).toBeCloseTo(krippendorffAlpha(pairs) ?? Number.NaN, 12);
    expect(answer.weighted_kappa).toBeNull();
    expect(answer.a).toEqual({ scorer_key: "a", path: null, value_type: "binary" });
    expect(answer.b).toEqual({ scorer_key: "judge", path: "b", value_type: "binary" });
  });

  it("has intervals as wide as the large-sample standard errors say", async () => {
    const table = [
      [200, 50],
      [100, 150],
    ];
    const { cohen_kappa_interval, raw_agreement_interval, bootstrap } = await ask(
      await engineOf(pairsOf(table, [true, false])),
    );
    const [low = 0, high = 0] = cohen_kappa_interval ?? [];
    const reach = 1.959964 * kappaError(table);
    expect((high - low) / 2 / reach).toBeGreaterThan(0.9);
    expect((high - low) / 2 / reach).toBeLessThan(1.1);
    const share = 1.959964 * Math.sqrt((0.7 * 0.3) / 500);
    const [least = 0, most = 0] = raw_agreement_interval ?? [];
    expect((most - least) / 2 / share).toBeGreaterThan(0.9);
    expect((most - least) / 2 / share).toBeLessThan(1.1);
    expect(bootstrap).toMatchObject({ method: "percentile", unit: "row", resamples: 2000 });
  });

  it("has wider intervals where the trials of a row go together", async () => {
    const pairs = pairsOf(
      [
        [20, 5],
        [10, 15],
      ],
      [true, false],
    );
    const tenfold = Array.from({ length: 500 }, (_, i) => pairs[Math.floor(i / 10)] ?? pairs[0]).filter(
      (pair) => pair !== undefined,
    );
    const apart = await ask(await engineOf(tenfold));
    const together = await ask(await engineOf(tenfold, (i) => Math.floor(i / 10)));
    expect(together.row_count).toBe(50);
    expect(together.cohen_kappa).toBe(apart.cohen_kappa);
    expect(width(together.cohen_kappa_interval ?? [0, 0])).toBeGreaterThan(
      2 * width(apart.cohen_kappa_interval ?? [0, 0]),
    );
  });

  it("is the same to the last byte for the same request, whatever the threads and the order of records", async () => {
    const pairs = pairsOf(
      [
        [20, 5],
        [10, 15],
      ],
      [true, false],
    );
    const one = JSON.stringify(await ask(await engineOf(pairs)));
    expect(JSON.stringify(await ask(await engineOf(pairs, (i) => i, 2)))).toBe(one);
    expect(JSON.stringify(await ask(await engineOf(pairs.toReversed(), (i) => 49 - i)))).toBe(one);
  });

  it("has intervals where all trials agree, as few rows do not show that all would", async () => {
    const answer = await ask(
      await engineOf(
        pairsOf(
          [
            [12, 0],
            [0, 8],
          ],
          [false, true],
        ),
      ),
    );
    // Wilson's of 20 of 20 (statsmodels 0.15.0); κ ± 1.96 SE (Fleiss, Cohen and Everitt) of 12.5, 0.5, 0.5 and 8.5.
    expect(answer).toMatchObject({ raw_agreement: 1, cohen_kappa: 1, bootstrap: null });
    expect(answer.raw_agreement_interval?.[0]).toBeCloseTo(0.8388748419471804, 12);
    expect(answer.cohen_kappa_interval?.[0]).toBeCloseTo(0.725977006800282, 12);
    expect(answer.cohen_kappa_interval?.[1]).toBe(1);
  });

  it("says null, and never NaN, where nothing varies", async () => {
    const answer = await ask(
      await engineOf(
        pairsOf(
          [
            [0, 0],
            [0, 7],
          ],
          [false, true],
        ),
      ),
    );
    expect(answer).toMatchObject({
      raw_agreement: 1,
      cohen_kappa: null,
      cohen_kappa_interval: null,
      krippendorff_alpha: 1,
      pearson: null,
      spearman: null,
      kendall_tau_b: null,
    });
    const single = JSON.stringify(await ask(await engineOf([[true, false]])));
    expect(single).not.toContain("NaN");
    expect(JSON.parse(single)).toMatchObject({ n_both: 1, raw_agreement: 0, cohen_kappa: 0 });
  });
});

describe("the agreement of ratings and numbers", () => {
  it("has the published weighted kappas of three categories", async () => {
    const answer = await ask(
      await engineOf(
        pairsOf(
          [
            [10, 2, 0],
            [3, 8, 4],
            [0, 1, 12],
          ],
          [1, 2, 3],
        ),
      ),
    );
    expect(answer.cohen_kappa).toBeCloseTo(0.6265172736, 9);
    expect(answer.weighted_kappa?.linear).toBeCloseTo(0.7206703911, 9);
    expect(answer.weighted_kappa?.quadratic).toBeCloseTo(0.8142989786, 9);
    expect(answer.confusion_matrix?.categories).toEqual([1, 2, 3]);
    expect(answer.judge).toBeNull();
  });

  it("counts the ratings that nobody gave", async () => {
    const pairs: Pair[] = [
      [1, 1],
      [1, 4],
      [4, 4],
      [4, 1],
      [1, 1],
    ];
    const answer = await ask(await engineOf(pairs));
    expect(answer.confusion_matrix).toEqual({
      categories: [1, 2, 3, 4],
      counts: [
        [2, 0, 0, 1],
        [0, 0, 0, 0],
        [0, 0, 0, 0],
        [1, 0, 0, 1],
      ],
    });
    const table = answer.confusion_matrix?.counts ?? [];
    expect(answer.weighted_kappa?.linear).toBe(cohenKappa(table, { weights: "linear" }));
  });

  it("has the published correlations", async () => {
    const a = [1, 2, 3, 4, 5, 5, 6];
    const b = [2, 1, 4, 3, 5, 7, 6];
    const answer = await ask(await engineOf(a.map((value, i) => [value, b[i] ?? 0])));
    expect(answer.pearson).toBeCloseTo(0.8574929257, 9);
    expect(answer.spearman).toBeCloseTo(0.8648999642, 9);
    expect(answer.kendall_tau_b).toBeCloseTo(0.6831300511, 9);
  });

  it("agrees with the functions over arrays on random values, ties and missing ones among them", async () => {
    const random = seededRandom(11);
    const value = () =>
      [random() * 4 - 1, Math.floor(random() * 5) / 4, random() < 0.5][Math.floor(random() * 3)] ?? 0;
    const pairs: Pair[] = Array.from({ length: 400 }, () => {
      const a = value();
      return [random() < 0.2 ? null : a, random() < 0.2 ? null : random() < 0.3 ? a : value()];
    });
    const both = pairs.filter((pair) => !pair.includes(null)).map((pair) => pair.map(Number));
    const [x, y] = [0, 1].map((i) => both.map((pair) => pair[i] ?? 0));
    const answer = await ask(await engineOf(pairs, (i) => i % 90));
    expect(answer).toMatchObject({
      n_both: both.length,
      n_only_a: pairs.filter(([a, b]) => a !== null && b === null).length,
      n_only_b: pairs.filter(([a, b]) => a === null && b !== null).length,
      confusion_matrix: null,
      cohen_kappa: null,
    });
    expect(answer.raw_agreement).toBe(both.filter(([a, b]) => a === b).length / both.length);
    expect(answer.pearson).toBeCloseTo(pearson(x ?? [], y ?? []) ?? Number.NaN, 12);
    expect(answer.spearman).toBeCloseTo(spearman(x ?? [], y ?? []) ?? Number.NaN, 12);
    expect(answer.kendall_tau_b).toBeCloseTo(kendallTauB(x ?? [], y ?? []) ?? Number.NaN, 12);
  });
});

describe("the agreement of labels", () => {
  it("is that of texts", async () => {
    const answer = await ask(
      await engineOf(
        pairsOf(
          [
            [6, 2],
            [1, 5],
          ],
          ["good", "bad"],
        ),
      ),
    );
    expect(answer.confusion_matrix).toEqual({
      categories: ["bad", "good"],
      counts: [
        [5, 1],
        [2, 6],
      ],
    });
    expect(answer.cohen_kappa).toBeCloseTo(
      cohenKappa([
        [6, 2],
        [1, 5],
      ]) ?? Number.NaN,
      12,
    );
    expect(answer).toMatchObject({
      pearson: null,
      kendall_tau_b: null,
      corrected_means: null,
      weighted_kappa: null,
    });
  });
});
