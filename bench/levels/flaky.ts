import type { Loaded } from "../../src/cli/ci/compare-pairs.ts";
import { flakinessOf, flakyReasons } from "../../src/cli/ci/flakiness.ts";
import type { Suite, SuiteScore } from "../../src/cli/ci/suite.ts";
import { seededRandom, type Random } from "../../src/stats/numeric/random.ts";
import { normal } from "./designs.ts";

interface Flaky {
  readonly rows: number;
  /** Trials of a row in the baseline and in the candidate. */
  readonly trials: readonly [number, number];
  readonly scores: number;
  /** How much more often two trials of a row differ in the candidate. */
  readonly more: number;
  readonly pairs: number;
  readonly seed: number;
}

const CENTRE = 2.25;
const SPREAD = 1.5;
const GATE = {
  kind: "flaky",
  text: "flaky>2%",
  threshold: { order: ">", value: 0.02, percent: true },
} as const;

/** The share of pairs that meet `flaky>2%`; about 85 % of the trials are right. */
export function measureFlaky({ rows, trials, scores, more, pairs, seed }: Flaky): number {
  const random = seededRandom(seed);
  let met = 0;
  for (let i = 0; i < pairs; i++) {
    const chances = Array.from({ length: scores }, () =>
      Array.from({ length: rows }, () => 1 / (1 + Math.exp(-CENTRE - SPREAD * normal(random)))),
    );
    const [baseline, candidate] = trials.map((count, side) =>
      suiteOf(rows, count, chances, side === 1 ? more : 0, random),
    );
    if (baseline === undefined || candidate === undefined) throw new RangeError("a pair has two sides");
    const pair = {
      baseline,
      candidate,
      scores: baseline.scores,
      rows: { shared: rows, edited: 0, added: 0, removed: 0 },
    };
    const loaded: Loaded = { id: "c", label: "c", candidate, baseline: { id: "b", label: "b" }, pair };
    const found = flakinessOf([loaded], 0.95).get("c") ?? [];
    if (flakyReasons(GATE, found, { label: "c", whose: "", confidence: 0.95 }).length > 0) met++;
  }
  return met / pairs;
}

/** Where rows are to differ more, so many of them become a coin, of which two trials differ in a half. */
function suiteOf(
  rows: number,
  trials: number,
  chances: readonly number[][],
  more: number,
  random: Random,
): Suite {
  const scores = chances.map((own, at): SuiteScore => {
    const usual = own.reduce((sum, p) => sum + 2 * p * (1 - p), 0) / rows;
    const coin = more / (0.5 - usual);
    const values = own.map((p) => {
      const chance = random() < coin ? 0.5 : p;
      return Array.from({ length: trials }, () => random() < chance);
    });
    return { path: [`s${at}`], binary: true, values };
  });
  const names = Array.from({ length: rows }, (_, i) => String(i));
  return { id: "", rows: names, scores } as unknown as Suite;
}
