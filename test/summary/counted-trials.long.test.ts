import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { countedAs, elsewhere, lacks, type Numbers, withCounted } from "../oracle/counted-trials.ts";
import { departures, expectedStatistics, isLeaf, valueAt, valuesByRow } from "../oracle/row-statistics.ts";
import { callsOf, PROJECT, scoredRuns, type RunTrial, type ScoredRun } from "../oracle/scored-runs.ts";

const SEED = Number(process.env["SEED"] ?? 613);
const RUNS = Number(process.env["SCENARIOS"] ?? 20);
const PATHS = [["a"], ["a", "deeper"], ["judge", "b"], ["judge", "b", "deeper"], ["late", "ok"]];
const PASS_K = [1, 2];

const nameOf = (path: readonly string[]) => path.join(".");

async function withRuns(runs: readonly ScoredRun[], work: (engine: Engine) => Promise<void>): Promise<void> {
  const engine = await openEngine();
  try {
    await engine.ingestCalls(callsOf(runs));
    await work(engine);
  } finally {
    await engine.close();
  }
}

const NUMBER = fc.constantFrom(0, 1, 0.25, -3);
const NUMBERS = fc.oneof(
  fc.record({ error: NUMBER, null: fc.constant(undefined) }),
  fc.record({ error: fc.constant(undefined), null: NUMBER }),
  fc.record({ error: NUMBER, null: NUMBER }),
);

/** The members that let trials at these places count. */
function counting(paths: readonly (readonly string[])[], { error, null: none }: Numbers) {
  const as = (number: number) => Object.fromEntries(paths.map((path) => [nameOf(path), number]));
  return {
    ...(error === undefined ? {} : { count_errors_as: as(error) }),
    ...(none === undefined ? {} : { count_nulls_as: as(none) }),
  };
}

/** How many of the trials count, in the words of an answer. */
function countsOf(
  runs: readonly ScoredRun[],
  run: ScoredRun,
  path: readonly string[],
  numbers: Numbers,
  isKept: (one: RunTrial) => boolean = () => true,
) {
  const count = (why: keyof Numbers) =>
    countedAs(runs, run, path, numbers[why] ?? 0) === undefined
      ? 0
      : run.trials.filter((one) => isKept(one) && lacks(one, path) === why).length;
  return {
    ...(numbers.error === undefined ? {} : { counted_error_count: count("error") }),
    ...(numbers.null === undefined ? {} : { counted_null_count: count("null") }),
  };
}

/** The places whose trials without a value can count as these numbers: where a run has booleans they are 0 or 1. */
function placesFor(runs: readonly ScoredRun[], numbers: Numbers): readonly (readonly string[])[] {
  const all = [numbers.error, numbers.null].flatMap((number) => number ?? []);
  const isTruth = all.every((number) => number === 0 || number === 1);
  return PATHS.filter((path) => {
    const counted = runs.map((run) => countedAs(runs, run, path, 0));
    const there = runs.some((run) => run.trials.some((one) => valueAt(one, path) !== undefined));
    return there && (isTruth || !counted.some((one) => typeof one === "boolean"));
  });
}

/** Whether a request can name a place: some trial has a value there, and no object or list alone. */
function isScore(runs: readonly ScoredRun[], path: readonly string[]): boolean {
  return runs.some((run) => run.trials.some((one) => isLeaf(valueAt(one, path))));
}

function scaleOf(trials: readonly RunTrial[], path: readonly string[], numbers: Numbers): number {
  const counted = [numbers.error ?? 0, numbers.null ?? 0].map(Math.abs);
  return Math.max(...counted, ...[...valuesByRow(trials, path).values()].flat().map(Math.abs));
}

const KEPT = {
  query: { $expr: { $eq: [{ $getField: "scores.late.ok" }, { $literal: true }] } },
} as const;

describe(`trials without a value that count, over random runs (SEED=${SEED})`, () => {
  it("are what plain loops give, with and without filters", async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(scoredRuns, NUMBERS, fc.boolean(), async (runs, numbers, filtered) => {
        const paths = placesFor(runs, numbers).filter((path) => isScore(runs, path));
        const rows = new Set(
          runs.flatMap((run) => run.trials.filter((one) => one.late?.["ok"] === true).map(({ row }) => row)),
        );
        const isKept = (one: RunTrial) => !filtered || rows.has(one.row);
        await withRuns(runs, async (engine) => {
          const { summary } = await engine.queryEvalResults(PROJECT, {
            evaluation_call_ids: runs.map(({ id }) => id),
            include_rows: false,
            include_summary: true,
            include_uncertainty: true,
            pass_k: PASS_K,
            ...counting(paths, numbers),
            filters: filtered ? [KEPT] : [],
          });
          for (const path of paths) {
            const valued = withCounted(runs, path, numbers);
            for (const [i, run] of runs.entries()) {
              const trials = valued[i]?.trials.filter(isKept) ?? [];
              const expected = expectedStatistics(trials, path, PASS_K);
              const found = summary?.evaluations
                .find((one) => one.evaluation_call_id === run.id)
                ?.scorer_stats.find(
                  (one) =>
                    nameOf([one.scorer_key, ...(one.path === null ? [] : [one.path])]) === nameOf(path),
                );
              const counts = outcomesOf(run.trials.filter(isKept), path);
              const counted = countsOf(runs, run, path, numbers, isKept);
              const whole = expected === null ? undefined : { ...expected, ...counts, ...counted };
              const scale = scaleOf(trials, path, numbers);
              const what = `${run.id} ${nameOf(path)} as ${JSON.stringify(numbers)}`;
              expect(departures(found, whole, scale), what).toEqual([]);
              compared += Object.values(counted).reduce((sum, one) => sum + one, 0);
            }
          }
        });
      }),
      { seed: SEED, numRuns: RUNS, endOnFailure: process.env["SHRINK"] === undefined },
    );
    expect(compared).toBeGreaterThan(RUNS * 3);
  }, 120_000);

  it("compare and rank as if their values were stored", async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(scoredRuns, NUMBERS, async (runs, numbers) => {
        const path = placesFor(runs, numbers).find((one) => isScore(runs, one));
        fc.pre(path !== undefined);
        const [baseline = "", ...candidates] = runs.map(({ id }) => id);
        const evaluations = runs.map(({ id }) => id);
        const scorers = [nameOf(path)];
        const ask = async (engine: Engine, members: object) => ({
          compared: await engine.compareEvaluations(PROJECT, { baseline, candidates, scorers, ...members }),
          board: await engine.leaderboard(PROJECT, { evaluations, scorers, ...members }),
        });
        const answers: Awaited<ReturnType<typeof ask>>[] = [];
        const stored = withCounted(runs, path, numbers);
        fc.pre(isScore(stored, path) && sharedRows(runs) >= 2);
        await withRuns(
          [...stored, elsewhere(path, numbers)],
          async (engine) => void answers.push(await ask(engine, {})),
        );
        const members = counting([path], numbers);
        await withRuns(runs, async (engine) => void answers.push(await ask(engine, members)));
        const [expected, found] = answers;
        const own = (of: typeof expected) =>
          of?.compared.comparisons.filter(
            (one) => nameOf([one.scorer_key, one.path ?? ""].filter((part) => part !== "")) === nameOf(path),
          );
        const scale = Math.max(...stored.map(({ trials }) => scaleOf(trials, path, numbers)));
        expect(departures(own(found), own(expected), scale), nameOf(path)).toEqual([]);
        const entries = (of: typeof expected) =>
          of?.board.entries.map(({ evaluation_call_id: id, scores: [score], standing }) => ({
            id,
            standing,
            mean: score?.row_mean,
            interval: score?.confidence_interval,
            rows: score?.scored_row_count,
            passed: score?.pass_true_count,
            trials: score?.trial_count,
          }));
        expect(departures(entries(found), entries(expected), scale), nameOf(path)).toEqual([]);
        const counts = runs.map((run) => countsOf(runs, run, path, numbers));
        const [first, ...others] = counts;
        for (const told of ["counted_error_count", "counted_null_count"] as const)
          expect(own(found)?.map((one) => one[told])).toEqual(
            others.map((one) => (one[told] === undefined ? undefined : one[told] + (first?.[told] ?? 0))),
          );
        compared += others.length;
      }),
      { seed: SEED, numRuns: RUNS / 2, endOnFailure: process.env["SHRINK"] === undefined },
    );
    expect(compared).toBeGreaterThan(RUNS / 2);
  }, 120_000);
});

function sharedRows(runs: readonly ScoredRun[]): number {
  const [first, ...others] = runs.map(({ trials }) => new Set(trials.map(({ row }) => row)));
  return Math.max(0, ...others.map((rows) => [...rows].filter((row) => first?.has(row) === true).length));
}

function outcomesOf(trials: readonly RunTrial[], path: readonly string[]) {
  const nothing = trials.filter((one) => !isLeaf(valueAt(one, path)));
  const errors = nothing.filter((one) => one.error !== "none").length;
  const nulls = nothing.filter((one) => one.error === "none" && valueAt(one, path) === null).length;
  return {
    expected_trial_count: trials.length,
    error_count: errors,
    null_count: nulls,
    missing_count: nothing.length - errors - nulls,
  };
}
