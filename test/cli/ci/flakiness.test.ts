import { describe, expect, it } from "vitest";
import { measureFlaky } from "../../../bench/levels/flaky.ts";
import type { Loaded } from "../../../src/cli/ci/compare-pairs.ts";
import { flakinessOf } from "../../../src/cli/ci/flakiness.ts";
import type { Suite } from "../../../src/cli/ci/suite.ts";
import { holm, pairedDifference } from "../../../src/stats/index.ts";
import { seededRandom } from "../../../src/stats/numeric/random.ts";

const SEED = Number(process.env["SEED"] ?? 42);
type Trials = readonly (number | boolean | null)[];

function suite(scores: Readonly<Record<string, readonly Trials[]>>): Suite {
  const rows = Object.values(scores)[0]?.map((_, i) => String(i)) ?? [];
  const list = Object.entries(scores).map(([name, values]) => ({ path: [name], binary: true, values }));
  return { rows, scores: list } as unknown as Suite;
}

function loadedPair(id: string, baseline: Suite, candidate: Suite): Loaded {
  const pair = {
    baseline,
    candidate,
    scores: baseline.scores,
    rows: { shared: 0, edited: 0, added: 0, removed: 0 },
  };
  return { id, label: id, candidate, baseline: { id: `b ${id}`, label: "b" }, pair };
}

function count(trials: Trials): number {
  return trials.filter((one) => one !== null).length;
}

/** The share of pairs of trials that differ, counted one by one. */
function differing(trials: Trials): number {
  const known = trials.filter((one) => one !== null);
  const pairs = known.flatMap((a, i) => known.slice(i + 1).map((b) => Number(a) !== Number(b)));
  return pairs.filter(Boolean).length / pairs.length;
}

describe(`flakiness (SEED=${SEED})`, () => {
  it("is the chance that two trials of a row differ, with the paired t test over rows and Holm over scores", () => {
    const random = seededRandom(SEED);
    const draw = (most: number) =>
      Array.from({ length: 40 }, () =>
        Array.from({ length: 1 + Math.floor(most * random()) }, () =>
          random() < 0.1 ? null : random() < 0.7,
        ),
      );
    const sides = [0, 1].map(() => ({ base: { a: draw(4), b: draw(6) }, next: { a: draw(7), b: draw(3) } }));
    const loaded = sides.map(({ base, next }, i) => loadedPair(`c${i}`, suite(base), suite(next)));
    const found = flakinessOf(loaded, 0.9);
    const all = sides.flatMap(({ base, next }, at) =>
      (["a", "b"] as const).map((score) => {
        const rows = base[score].map((own, i) => [own, next[score][i] ?? []] as const);
        const kept = rows.filter(([x, y]) => count(x) > 1 && count(y) > 1);
        const before = kept.map(([x]) => differing(x));
        const after = kept.map(([, y]) => differing(y));
        const left = rows.filter(([x, y]) => Math.min(count(x), count(y)) === 1).length;
        return {
          at,
          score,
          n_rows: kept.length,
          left,
          test: pairedDifference(after, before, { confidence: 0.9 }),
        };
      }),
    );
    const adjusted = holm(all.flatMap(({ test }) => test.p_value ?? []));
    for (const [i, { at, score, n_rows, left, test }] of all.entries()) {
      const own = found.get(`c${at}`)?.find((one) => one.score === score);
      expect(own).toMatchObject({ n_rows, n_left_out: left });
      expect(own?.difference).toBeCloseTo(test.difference ?? NaN, 12);
      expect(own?.p_value).toBeCloseTo(test.p_value ?? NaN, 12);
      expect(own?.p_value_adjusted).toBeCloseTo(adjusted[i] ?? NaN, 12);
      expect(own?.confidence_interval?.[0]).toBeCloseTo(test.confidence_interval?.[0] ?? NaN, 12);
    }
  });

  it("of rows that all changed alike is tested by their signs", () => {
    const rows = Array.from({ length: 6 }, () => [true, true]);
    const flipped = rows.map(() => [true, false]);
    const [one] =
      flakinessOf([loadedPair("c", suite({ ok: rows }), suite({ ok: flipped }))], 0.95).get("c") ?? [];
    expect(one).toMatchObject({ difference: 1, confidence_interval: null, p_value: 2 / 64 });
    const [same] =
      flakinessOf([loadedPair("c", suite({ ok: rows }), suite({ ok: rows }))], 0.95).get("c") ?? [];
    expect(same).toMatchObject({ difference: 0, p_value: 1 });
  });

  it("is of true and false and of 0 and 1 alone", () => {
    const numbers = [
      [0.2, 1],
      [0, 1],
    ];
    const rates = [
      [0, 1],
      [1, 1],
    ];
    const names = (values: readonly Trials[]) =>
      (flakinessOf([loadedPair("c", suite({ s: values }), suite({ s: rates }))], 0.95).get("c") ?? []).length;
    expect([names(numbers), names(rates)]).toEqual([0, 1]);
  });

  // A count of rows on which trials disagree would be higher in 25 to 89 %.
  it.each([
    [[2, 2], 1],
    [[2, 3], 1],
    [[2, 5], 1],
    [[8, 2], 1],
    [[2, 3], 20],
  ] as const)("is not met where nothing changed: trials %j, %i scores", (trials, scores) => {
    const sample = { rows: 60, trials, scores, more: 0, pairs: scores === 1 ? 300 : 150, seed: SEED };
    expect(measureFlaky(sample)).toBeLessThanOrEqual(0.08);
  });

  it("finds 25 points more on 60 rows in 80 %", () => {
    const sample = { rows: 60, scores: 1, more: 0.25, pairs: 200, seed: SEED };
    expect(measureFlaky({ ...sample, trials: [2, 3] })).toBeGreaterThanOrEqual(0.8);
    expect(measureFlaky({ ...sample, trials: [2, 2] })).toBeGreaterThanOrEqual(0.8);
  });
});
