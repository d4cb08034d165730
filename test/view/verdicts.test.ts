import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Comparison, type Engine } from "../../src/index.ts";
import { conclusion } from "../../src/words/conclusion.ts";
import { scoreName, scoreOf } from "../../src/words/score.ts";
import { plainText } from "../../src/words/sentence.ts";
import { claimOf, labelOf, standingOf, type Standing } from "../../src/words/standings.ts";
import { callsOf, PROJECT, type RunTrial, type ScoredRun } from "../oracle/scored-runs.ts";

const SEED = Number(process.env["SEED"] ?? 3107);
const ROWS = 24;

const trial = (rate: number, level: number) =>
  fc
    .record({ pass: fc.integer({ min: 0, max: 99 }), noise: fc.integer({ min: 0, max: 9 }) })
    .map(({ pass, noise }): Omit<RunTrial, "row"> => ({
      scores: { ok: pass < rate, words: level + noise / 10 },
      late: null,
      error: "none",
    }));

/** Runs of a few rates of passing and levels of a number; the last repeats the first, and one has a value on one row only. */
function randomRuns(): ScoredRun[] {
  const runs = [20, 50, 55, 60, 95, 97].flatMap((rate, i) =>
    fc
      .sample(fc.array(trial(rate, i % 4), { minLength: ROWS, maxLength: ROWS }), {
        seed: SEED + i,
        numRuns: 1,
      })
      .map((trials) => ({ id: `run-${i}`, trials: trials.map((one, row) => ({ ...one, row })) })),
  );
  const [first] = runs;
  const few = first?.trials.map((one) => (one.row === 0 ? one : { ...one, scores: {} })) ?? [];
  return [...runs, { id: "copy", trials: first?.trials ?? [] }, { id: "few", trials: few }];
}

/** What the verdict of the library is called. */
const CALLED: Readonly<Partial<Record<Comparison["verdict"], string>>> = {
  improved: "is better than",
  regressed: "is worse than",
  equivalent: "is as good as",
  inconclusive: "is not shown different from",
};

const options = fc.record({
  baseline: fc.constantFrom("run-0", "run-1", "run-2", "run-4"),
  adjust: fc.constantFrom<("benjamini-hochberg" | "holm" | "none")[]>("benjamini-hochberg", "holm", "none"),
  margin: fc.constantFrom(null, 0.3, 2),
  lower: fc.boolean(),
  named: fc.boolean(),
});

describe(`what is said of random comparisons (SEED=${SEED})`, () => {
  const runs = randomRuns();
  let engine: Engine;

  beforeAll(async () => {
    engine = await openEngine();
    await engine.ingestCalls(callsOf(runs));
  });
  afterAll(() => engine.close());

  it("is the verdict of the library, in each claim and in the conclusion", async () => {
    const seen = new Set<Standing>();
    await fc.assert(
      fc.asyncProperty(options, async ({ baseline, adjust, margin, lower, named }) => {
        const request = {
          baseline,
          candidates: runs.map(({ id }) => id).filter((id) => id !== baseline),
          adjust,
          margin,
          scorers: named ? ["ok", "words"] : null,
          lower_is_better: lower ? ["words"] : null,
        };
        const {
          comparisons,
          confidence,
          family_size: familySize,
        } = await engine.compareEvaluations(PROJECT, request);
        expect(comparisons.length).toBeGreaterThan(10);
        for (const one of comparisons) {
          const isPass = one.scorer_key === "ok";
          const score = scoreOf(one, isPass ? "binary" : "continuous", request);
          const standing = standingOf(one);
          seen.add(standing);
          const [x, y] = [one.candidate, baseline].map((id) => ({ id, text: id, full: id }));
          if (x === undefined || y === undefined) throw new Error("two names");
          const claim = plainText(claimOf(standing, x, y, score));
          expect(claim).toBe(expectedClaim(one, baseline));
          expect(one.direction).toBe(isPass ? "higher" : lower ? "lower" : null);
          expect(["improved", "regressed"]).not.toContain(one.direction === null ? one.verdict : null);
          expect(labelOf(standing, score)).not.toBe("");
          const evaluations = [y, x].map((name, i) => {
            const comparison = i === 0 ? null : one;
            const stats = { row_mean: 1, confidence_interval: null, scored_row_count: ROWS };
            return { name, stats, comparison };
          });
          const { headline } = conclusion({
            evaluations,
            baseline,
            score,
            compared: true,
            withBest: false,
            confidence,
            margin,
            familySize,
            adjust,
          });
          expect(plainText(headline)).toBe(claim);
        }
      }),
      { seed: SEED, numRuns: 20 },
    );
    expect([...seen].toSorted()).toEqual([
      "equivalent",
      "few",
      "improved",
      "inconclusive",
      "moved_down",
      "moved_up",
      "regressed",
      "same",
    ]);
  });
});

function expectedClaim(one: Comparison, baseline: string): string {
  const name = scoreName(one);
  if (one.n_common < 2) return `Too few rows to compare ${one.candidate} with ${baseline} in ${name}.`;
  if (one.verdict === "inconclusive" && one.rows_tied === one.n_common)
    return `${one.candidate} and ${baseline} have the same ${name} on every shared row.`;
  if (one.verdict === "moved")
    return `${one.candidate} moved ${(one.difference ?? 0) > 0 ? "up" : "down"} in ${name} against ${baseline}.`;
  return `${one.candidate} ${CALLED[one.verdict]} ${baseline} in ${name}.`;
}
