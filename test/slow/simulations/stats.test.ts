import { describe, test } from "vitest";
import {
  betaPosterior,
  mcnemar,
  newcombe,
  pairedDifference,
  signFlip,
  tInterval,
  wilcoxonSignedRank,
  wilson,
  type Interval,
} from "../../../src/stats/index.ts";
import { seededRandom, type Random } from "../../../src/stats/numeric/random.ts";
import { expect } from "../../stats/matchers.ts";

const sizes = [20, 50, 100, 500];
/** 95 % within 2 percentage points. */
const TWO_POINTS = 0.02 / 0.95;

const experiments = (n: number): number => Math.max(1000, 50_000 / n);

/** The share of seeded experiments over `n` rows that come true. */
function share(n: number, seed: number, experiment: (random: Random) => boolean): number {
  const random = seededRandom(seed);
  const outcomes = Array.from({ length: experiments(n) }, () => experiment(random));
  return outcomes.filter(Boolean).length / outcomes.length;
}

/** 5 % and three standard errors of the simulation. */
const fivePercent = (n: number): number => 0.05 + 3 * Math.sqrt((0.05 * 0.95) / experiments(n));

const contains = (interval: Interval | null, truth: number): boolean =>
  interval !== null && interval[0] <= truth && truth <= interval[1];
const draws = (n: number, draw: () => number): number[] => Array.from({ length: n }, draw);
const passes = (random: Random, n: number, rate: number): number =>
  draws(n, random).filter((value) => value < rate).length;
const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** The clusters of n rows, and scores of which half the variance is the cluster's. */
const clustersOf = (n: number): number[] => Array.from({ length: n }, (_, i) => i % Math.max(10, n / 5));
function clusteredScores(random: Random, clusterIds: readonly number[]): number[] {
  const effects = draws(clusterIds.length, () => normal(random));
  return clusterIds.map((id) => (effects[id] ?? 0) + normal(random));
}

/** Two runs of one model: both answer each row with that row's own rate, `trials` times. */
function twoRuns(random: Random, n: number, trials: number): readonly [number[], number[]] {
  const rates = draws(n, random);
  const run = () => rates.map((rate) => passes(random, trials, rate) / trials);
  return [run(), run()];
}

function differences(random: Random, n: number, trials: number): number[] {
  const [a, b] = twoRuns(random, n, trials);
  return a.map((value, i) => value - (b[i] ?? 0));
}

describe("95 % intervals hold the truth in 93 to 97 % of seeded experiments", () => {
  test.each(sizes)("Student interval of %i continuous scores", (n) => {
    const coverage = share(n, 1, (random) => contains(tInterval(draws(n, random)), 0.5));
    expect(coverage).toAgreeWith(0.95, TWO_POINTS);
  });

  test.each(sizes)("Student interval of %i row means of four 0/1 trials", (n) => {
    const coverage = share(n, 2, (random) => {
      const rowMeans = draws(n, () => passes(random, 4, random()) / 4);
      return contains(tInterval(rowMeans), 0.5);
    });
    expect(coverage).toAgreeWith(0.95, TWO_POINTS);
  });

  test.each(sizes)("Wilson and uniform-prior interval of %i 0/1 scores of a rate of 10 to 90 %", (n) => {
    for (const interval of [wilson, betaPosterior]) {
      const coverage = share(n, 3, (random) => {
        const rate = 0.1 + 0.8 * random();
        return contains(interval(passes(random, n, rate), n), rate);
      });
      expect(coverage).toAgreeWith(0.95, TWO_POINTS);
    }
  });

  test.each(sizes)("Newcombe interval of two independent runs of %i rows", (n) => {
    const coverage = share(n, 4, (random) => {
      const [p, q] = [0.1 + 0.8 * random(), 0.1 + 0.8 * random()];
      return contains(newcombe(passes(random, n, p), n, passes(random, n, q), n), p - q);
    });
    expect(coverage).toAgreeWith(0.95, TWO_POINTS);
  });

  test.each(sizes)("clustered interval of %i rows that share passages", (n) => {
    const clusterIds = clustersOf(n);
    const zeros = clusterIds.map(() => 0);
    const coverage = share(n, 5, (random) =>
      contains(
        pairedDifference(clusteredScores(random, clusterIds), zeros, { clusterIds }).confidence_interval,
        0,
      ),
    );
    expect(coverage).toAgreeWith(0.95, TWO_POINTS);
  });

  test.each(sizes)("paired interval of two runs of %i rows of three trials", (n) => {
    const coverage = share(n, 6, (random) =>
      contains(pairedDifference(...twoRuns(random, n, 3)).confidence_interval, 0),
    );
    expect(coverage).toAgreeWith(0.95, TWO_POINTS);
  });

  test("but the interval of independent rows misses far too often where rows are clustered", () => {
    const clusterIds = clustersOf(100);
    const coverage = share(100, 8, (random) => contains(tInterval(clusteredScores(random, clusterIds)), 0));
    expect(coverage).toBeLessThan(0.85);
  });
});

describe("two runs of one model differ at p ≤ .05 in at most 5 % of seeded experiments", () => {
  test.each(sizes)("paired t over %i rows of one and of three trials", (n) => {
    for (const trials of [1, 3]) {
      const rate = share(n, 20 + trials, (random) => {
        const [a, b] = twoRuns(random, n, trials);
        return (pairedDifference(a, b).p_value ?? 1) <= 0.05;
      });
      expect(rate).toBeLessThanOrEqual(fivePercent(n));
    }
  });

  test.each(sizes)("clustered paired t over %i rows", (n) => {
    const clusterIds = clustersOf(n);
    const rate = share(n, 24, (random) => {
      const [a, b] = [clusteredScores(random, clusterIds), clusteredScores(random, clusterIds)];
      return (pairedDifference(a, b, { clusterIds }).p_value ?? 1) <= 0.05;
    });
    expect(rate).toBeLessThanOrEqual(fivePercent(n));
  });

  test.each(sizes)("McNemar, exact and mid-p, over %i rows", (n) => {
    for (const method of ["exact", "mid-p"] as const) {
      const rate = share(n, 25, (random) => {
        const d = differences(random, n, 1);
        const wins = d.filter((value) => value > 0).length;
        const losses = d.filter((value) => value < 0).length;
        return mcnemar(wins, losses, { method }).p_value <= 0.05;
      });
      expect(rate).toBeLessThanOrEqual(fivePercent(n));
    }
  });

  test.each(sizes)("signed ranks over %i rows of three trials", (n) => {
    const rate = share(n, 26, (random) => wilcoxonSignedRank(differences(random, n, 3)).p_value <= 0.05);
    expect(rate).toBeLessThanOrEqual(fivePercent(n));
  });

  test.each([12, 100])("flipped signs over %i rows of three trials", (n) => {
    const rate = share(n, 27, (random) => {
      const seed = Math.floor(random() * 2 ** 32);
      return signFlip(differences(random, n, 3), { seed, resamples: 199 }).p_value <= 0.05;
    });
    expect(rate).toBeLessThanOrEqual(fivePercent(n));
  });
});
