import { describe, expect, it, onTestFinished } from "vitest";
import { openEngine } from "../../../src/index.ts";
import { correctedDifference } from "../../../src/respond/compare/corrected.ts";
import { ppiMoments } from "../../../src/stats/agreement/ppi.ts";
import type { Random } from "../../../src/stats/numeric/random.ts";
import { PROJECT, root, trial } from "../../support/records.ts";
import { holds, normal, SEED, share, simulationRandom, spread } from "../../support/simulation.ts";

/** Differences candidate − baseline on one row, of people and of the judge. */
type Draw = (random: Random) => readonly [human: number, judge: number];

interface Rates {
  readonly base: number;
  readonly candidate: number;
  /** Share of rows on which both sides depend on the same luck. */
  readonly alike: number;
  /** Share of verdicts that are wrong. */
  readonly wrong: number;
  /** Share of candidate's answers that the judge passes whatever they are. */
  readonly favour: number;
}

/** What people and the judge say of both sides. */
function drawRates(random: Random, { base, candidate, alike, wrong, favour }: Rates) {
  const luck = random();
  const first = luck < base;
  const second = (random() < alike ? luck : random()) < candidate;
  const judged = (answer: boolean) => (random() < wrong ? !answer : answer);
  return { first, second, judgedFirst: judged(first), judgedSecond: random() < favour || judged(second) };
}

const rates =
  (design: Rates): Draw =>
  (random) => {
    const { first, second, judgedFirst, judgedSecond } = drawRates(random, design);
    return [Number(second) - Number(first), Number(judgedSecond) - Number(judgedFirst)];
  };

const grades =
  (error: number): Draw =>
  (random) => {
    const human = normal(random);
    return [human, 0.3 + 0.5 * human + error * normal(random)];
  };

const EXPERIMENTS = 2000;

function differences(draw: Draw, labelled: number, others: number, zeroOne: boolean, name: string) {
  const random = simulationRandom(name);
  const drawn = (n: number) => Array.from({ length: n }, () => draw(random));
  return Array.from({ length: EXPERIMENTS }, () => {
    const [seen, unseen] = [drawn(labelled), drawn(others)];
    const human = seen.map(([y]) => y);
    const rows = {
      labelled: { human, judge: seen.map(([, f]) => f) },
      unlabelled: { judge: unseen.map(([, f]) => f) },
    };
    const { labelled: known, unlabelled: alone, units } = ppiMoments(rows, true);
    const moments = {
      evaluationKey: 1,
      unitA: units.human,
      unitB: units.judge,
      zeroOne,
      labelled: {
        n: labelled,
        a: known.human.mean / units.human,
        b: known.judge.mean / units.judge,
        aa: known.human.variance * (labelled - 1),
        bb: known.judge.variance * (labelled - 1),
        ab: known.covariance * (labelled - 1),
      },
      unlabelled: { n: others, b: alone.judge.mean / units.judge, bb: alone.judge.variance * (others - 1) },
    };
    const size = Math.max(...human.map(Math.abs));
    return correctedDifference({ moments, size, baseline: { a: 0, b: 0, c: 0 } }, "human").estimate;
  });
}

describe(`a corrected difference, ${EXPERIMENTS} simulated for each design (SEED=${SEED})`, () => {
  it("has an interval that holds the truth in 94 % at least, and shows in at most 6 % what is not there", () => {
    const judges = [
      { wrong: 0.02, favour: 0 },
      { wrong: 0.1, favour: 0.2 },
      { wrong: 0.3, favour: 0 },
    ];
    const sides = [
      { base: 0.5, candidate: 0.5 },
      { base: 0.7, candidate: 0.6 },
      { base: 0.95, candidate: 0.95 },
      { base: 0.98, candidate: 0.9 },
      { base: 0.1, candidate: 0.1 },
    ];
    const designs = [
      ...sides.flatMap((side) =>
        [0, 0.8].flatMap((alike) =>
          judges.map((judge) => ({
            name: JSON.stringify({ ...side, alike, ...judge }),
            draw: rates({ ...side, alike, ...judge }),
            zeroOne: true,
            truth: side.candidate - side.base,
          })),
        ),
      ),
      ...[0.1, 0.5, 2].map((error) => ({
        name: `grades, judge off by ${error}`,
        draw: grades(error),
        zeroOne: false,
        truth: 0,
      })),
    ];
    for (const { name, draw, zeroOne, truth } of designs) {
      for (const [labelled, others] of [
        [12, 200],
        [30, 200],
        [60, 300],
        [100, 1000],
      ] as const) {
        const what = `${name}, ${labelled} labels, ${others} others`;
        const found = differences(draw, labelled, others, zeroOne, what);
        const covered = share(found.map(({ intervalAt }) => holds(intervalAt(0.05), truth)));
        expect(covered, what).toBeGreaterThan(0.94 - spread(EXPERIMENTS));
        if (truth !== 0) continue;
        const shown = share(found.map(({ p }) => p !== null && p <= 0.05));
        expect(shown, what).toBeLessThan(0.06 + spread(EXPERIMENTS));
      }
    }
  }, 1_800_000);
});

const PAIRS = 800;

describe(`comparisons by a judge that favours the candidate, ${PAIRS} simulated pairs (SEED=${SEED})`, () => {
  it("hold the truth in 94 % at least with corrected_by, and in less than half without", async () => {
    const random = simulationRandom("favoured");
    const engine = await openEngine();
    onTestFinished(() => engine.close());
    const rows = Array.from({ length: 60 }, (_, row) => row);
    const design = { base: 0.6, candidate: 0.6, alike: 0.5, wrong: 0.1, favour: 0.5 };
    const pairs = Array.from({ length: PAIRS }, (_, k) => [`base-${k}`, `new-${k}`] as const);
    for (const [base, candidate] of pairs) {
      const trials = rows.flatMap((row) => {
        const { first, second, judgedFirst, judgedSecond } = drawRates(random, design);
        const scores = (human: boolean, judge: boolean) => (row < 20 ? { human, judge } : { judge });
        return [
          trial(`${base}-${row}`, { row }, scores(first, judgedFirst), { parent_id: base }),
          trial(`${candidate}-${row}`, { row }, scores(second, judgedSecond), { parent_id: candidate }),
        ];
      });
      await engine.ingestCalls([root(base), root(candidate), ...trials]);
    }
    const covered = { plain: 0, corrected: 0 };
    for (const [baseline, candidate] of pairs) {
      const request = { baseline, candidates: [candidate], scorers: ["judge"] };
      const plain = await engine.compareEvaluations(PROJECT, request);
      const corrected = await engine.compareEvaluations(PROJECT, {
        ...request,
        corrected_by: { human: "human" },
      });
      covered.plain += holds(plain.comparisons[0]?.confidence_interval, 0) ? 1 : 0;
      covered.corrected += holds(corrected.comparisons[0]?.confidence_interval, 0) ? 1 : 0;
    }
    expect(covered.corrected / PAIRS).toBeGreaterThanOrEqual(0.94);
    expect(covered.plain / PAIRS).toBeLessThan(0.5);
  }, 1_800_000);
});
