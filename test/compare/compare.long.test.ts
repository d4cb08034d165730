import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openEngine, type Comparison, type Engine } from "../../src/index.ts";
import {
  clusteredStandardError,
  holm,
  mcnemar,
  pairedRatesInterval,
  studentInterval,
  studentTCdf,
} from "../../src/stats/index.ts";
import { exactMean } from "../oracle/mean.ts";
import { departures, deviation, rowMeans, valuesByRow } from "../oracle/row-statistics.ts";
import { loaded, run as runOf } from "../support/score-runs.ts";
import { callsOf, PROJECT, tameRuns, type ScoredRun } from "../oracle/scored-runs.ts";

const SEED = Number(process.env["SEED"] ?? 612);
const RUNS = Number(process.env["SCENARIOS"] ?? 25);
const PATHS = [["a"], ["a", "deeper"], ["judge", "b"], ["judge", "b", "deeper"], ["late", "ok"]];

/** Rows fall into clusters by their number; see the rows of {@link callsOf}. */
const clusterOf = (row: number): number => row % 4;

type Expected = Omit<Partial<Comparison>, "path"> & { readonly magnitude: number; readonly boolean: boolean };

const rowsOf = (run: ScoredRun): Set<number> => new Set(run.trials.map((one) => one.row));

function expectedComparison(
  baseline: ScoredRun,
  candidate: ScoredRun,
  path: readonly string[],
): Expected | null {
  const sides = [baseline, candidate].map((run) => valuesByRow(run.trials, path));
  const [base = new Map<number, number[]>(), other = new Map<number, number[]>()] = sides;
  if (base.size === 0) return null;
  const [b, a] = [rowMeans(base), rowMeans(other)];
  const [baseRows, otherRows] = [rowsOf(baseline), rowsOf(candidate)];
  const common = [...a.keys()].filter((row) => b.has(row));
  const d = common.map((row) => (a.get(row) ?? 0) - (b.get(row) ?? 0));
  const size = Math.max(
    0,
    ...common.flatMap((row) => [Math.abs(a.get(row) ?? 0), Math.abs(b.get(row) ?? 0)]),
  );
  const constant = d.length > 0 && Math.max(...d) - Math.min(...d) <= 4 * Number.EPSILON * size;
  const sd = constant && d.length > 1 ? 0 : deviation(d);
  const error = sd === null ? null : sd / Math.sqrt(d.length);
  const difference = exactMean(d);
  const zero = [...common].every((row) => base.get(row)?.length === 1 && other.get(row)?.length === 1);
  const boolean = zero && [base, other].every(isRate);
  const rounding = 4 * Number.EPSILON * size;
  const higher = d.filter((one) => one > rounding).length;
  const lower = d.filter((one) => one < -rounding).length;
  const t = error === null || error === 0 ? null : (difference ?? 0) / error;
  const moved = higher + lower > 0;
  const p =
    d.length < 2
      ? null
      : boolean
        ? mcnemar(lower, higher, { method: "mid-p" }).p_value
        : t === null
          ? mcnemar(0, moved ? d.length : 0).p_value
          : 2 * studentTCdf(-Math.abs(t), d.length - 1);
  return {
    magnitude: size,
    boolean,
    n_common: common.length,
    n_only_baseline: [...baseRows].filter((row) => !otherRows.has(row)).length,
    n_only_candidate: [...otherRows].filter((row) => !baseRows.has(row)).length,
    n_missing_baseline: [...a.keys()].filter((row) => baseRows.has(row) && !b.has(row)).length,
    n_missing_candidate: [...b.keys()].filter((row) => otherRows.has(row) && !a.has(row)).length,
    baseline_mean: exactMean(common.map((row) => b.get(row) ?? 0)),
    candidate_mean: exactMean(common.map((row) => a.get(row) ?? 0)),
    difference,
    standard_error: error,
    confidence_interval: boolean
      ? pairedRatesInterval({ higher, lower, n: d.length, confidence: 0.95 })
      : studentInterval(difference, error, d.length - 1),
    p_value: p,
    rows_improved: higher,
    rows_regressed: lower,
    rows_tied: d.length - higher - lower,
  };
}

/** Whether all values are true or false, or 0 or 1. */
function isRate(rows: ReadonlyMap<number, readonly number[]>): boolean {
  return rows.size > 0 && [...rows.values()].flat().every((value) => value === 0 || value === 1);
}

function binaryAt(run: ScoredRun, path: readonly string[]): boolean {
  const values = run.trials.map((one) =>
    path.reduce<unknown>((at, name) => (Object(at) as never)[name], {
      ...(one.error === "no output" ? {} : one.scores),
      ...(one.late === null ? {} : { late: one.late }),
    }),
  );
  return (
    !values.some((value) => typeof value === "number") && values.some((value) => typeof value === "boolean")
  );
}

async function withRuns<T>(runs: readonly ScoredRun[], work: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await openEngine();
  try {
    await engine.ingestCalls(callsOf(runs));
    return await work(engine);
  } finally {
    await engine.close();
  }
}

const sharedRows = (a: ScoredRun, b: ScoredRun) =>
  new Set(a.trials.filter((one) => b.trials.some((two) => two.row === one.row)).map((one) => one.row)).size;

describe(`comparison of random runs (SEED=${SEED})`, () => {
  it("is what plain loops give, adjusted over the whole answer; swapped sides give the negative", async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(tameRuns, async (runs) => {
        const [baseline, ...candidates] = runs as [ScoredRun, ...ScoredRun[]];
        fc.pre(candidates.every((one) => sharedRows(one, baseline) >= 2));
        const valued = PATHS.filter((path) =>
          candidates.some((one) => valuesByRow(one.trials, path).size > 0),
        );
        const expected = candidates.flatMap((candidate) =>
          valued.map((path) => ({ candidate, path, found: expectedComparison(baseline, candidate, path) })),
        );
        const known = expected.flatMap(({ candidate, path, found }) =>
          found === null ? [] : [{ candidate, path, found }],
        );
        fc.pre(known.length > 0);
        await withRuns(runs, async (engine) => {
          const request = { baseline: baseline.id, candidates: candidates.map((one) => one.id) };
          const answer = await engine.compareEvaluations(PROJECT, request);
          expect(JSON.stringify(answer)).not.toMatch(/NaN|Infinity/);
          expect(answer.comparisons).toHaveLength(known.length);
          expect(answer.family_size).toBe(known.filter(({ found }) => found.p_value !== null).length);
          for (const { candidate, path, found } of known) {
            const { magnitude, boolean, p_value: p, ...members } = found;
            const actual = answer.comparisons.find(
              (one) =>
                one.candidate === candidate.id &&
                one.scorer_key === path[0] &&
                (one.path ?? "") === path.slice(1).join("."),
            );
            const wrong = departures(actual ?? null, members, magnitude);
            expect(wrong, `${candidate.id} ${path.join(".")}`).toEqual([]);
            // What rounding of row means by 2^-53 makes of t.
            const blur = 1e-9 + (1e-14 * magnitude) / (found.standard_error || Infinity);
            expect(Math.abs((actual?.p_value ?? -1) - (p ?? -1))).toBeLessThanOrEqual(blur);
            const isBinary = [baseline, candidate].every((run) => binaryAt(run, path));
            expect(found.n_common === 0 ? actual?.reason : actual?.value_type).toMatch(
              found.n_common === 0 ? /no value|no row/ : isBinary ? /^binary$/ : /^continuous$/,
            );
            const rated = [baseline, candidate].every((run) => isRate(valuesByRow(run.trials, path)));
            expect(actual?.rate === true && found.n_common !== 0).toBe(
              rated && !isBinary && found.n_common !== 0,
            );
            expect(actual?.method === "mcnemar-mid-p").toBe(boolean && (found.n_common ?? 0) >= 2);
            compared++;
          }
          const p = answer.comparisons.flatMap((one) => one.p_value ?? []);
          const adjusted = answer.comparisons.flatMap((one) => one.p_value_adjusted ?? []);
          expect(adjusted).toEqual(holm(p));
          for (const one of answer.comparisons) checkAgreement(one);
          const there = answer.comparisons.filter(
            (one) => one.candidate === candidates[0]?.id && one.n_common > 0,
          );
          if (there.length === 0) return;
          const back = await engine.compareEvaluations(PROJECT, {
            baseline: candidates[0]?.id ?? "",
            candidates: [baseline.id],
          });
          const shared = back.comparisons.filter(({ n_common }) => n_common > 0);
          expect(shared.map((one) => [one.scorer_key, one.path, negative(one.difference)])).toEqual(
            there.map((one) => [one.scorer_key, one.path, one.difference]),
          );
        });
      }),
      { seed: SEED, numRuns: RUNS, endOnFailure: process.env["SHRINK"] === undefined },
    );
    expect(compared).toBeGreaterThan(RUNS);
  }, 120_000);

  it("has clustered errors where rows depend on each other", async () => {
    await fc.assert(
      fc.asyncProperty(tameRuns, async (runs) => {
        const [baseline, candidate] = runs as [ScoredRun, ScoredRun];
        fc.pre(sharedRows(baseline, candidate) >= 2);
        const [b, a] = [baseline, candidate].map((run) => rowMeans(valuesByRow(run.trials, ["a"])));
        const common = [...(a?.keys() ?? [])].filter((row) => b?.has(row) === true);
        fc.pre(new Set(common.map(clusterOf)).size >= 2);
        const d = common.map((row) => (a?.get(row) ?? 0) - (b?.get(row) ?? 0));
        const size = Math.max(
          ...common.flatMap((row) => [Math.abs(a?.get(row) ?? 0), Math.abs(b?.get(row) ?? 0)]),
        );
        const constant = Math.max(...d) - Math.min(...d) <= 4 * Number.EPSILON * size;
        const expected = constant ? 0 : clusteredStandardError(d, common.map(clusterOf));
        await withRuns(runs, async (engine) => {
          const { comparisons } = await engine.compareEvaluations(PROJECT, {
            baseline: baseline.id,
            candidates: [candidate.id],
            scorers: ["a"],
            cluster_by: "inputs.group",
          });
          const found = comparisons.find((one) => one.path === null);
          expect(departures(found?.standard_error, expected, size)).toEqual([]);
        });
      }),
      { seed: SEED, numRuns: 15, endOnFailure: process.env["SHRINK"] === undefined },
    );
  }, 120_000);
});

describe("a named score that a whole side lacks", () => {
  const runs = [
    ...runOf("a", [{ one: 1, both: 1 }, { one: 0, both: 1 }, { one: 1 }]),
    ...runOf("b", [{ other: 0.5, both: 1 }, { other: 0.25, both: 1 }, { other: 1 }]),
    ...runOf("c", [{ one: 1 }, { one: 1 }, {}]),
  ];
  const counts = async (candidates: readonly string[]) => {
    const engine = await loaded(runs);
    const { comparisons } = await engine.compareEvaluations(PROJECT, {
      baseline: "a",
      candidates,
      scorers: ["score"],
    });
    return comparisons.map((one) => [
      one.candidate,
      one.path,
      one.n_common,
      one.n_missing_baseline,
      one.n_missing_candidate,
    ]);
  };
  const B = [
    ["b", "both", 2, 0, 0],
    ["b", "one", 0, 0, 3],
    ["b", "other", 0, 3, 0],
  ];

  it("is missing on all rows on which the other side has it, whoever else is compared", async () => {
    expect(await counts(["b"])).toEqual(B);
    expect(await counts(["b", "c"])).toEqual([
      ...B,
      ["c", "both", 0, 0, 2],
      ["c", "one", 2, 0, 1],
      ["c", "other", 0, 0, 0],
    ]);
  });
});

/** An interval leaves out 0 exactly where its p value is at most 5 %, and holds the difference. */
function checkAgreement(one: Comparison): void {
  const pairs = [
    [one.confidence_interval, one.p_value],
    [one.adjusted_confidence_interval, one.p_value_adjusted],
  ] as const;
  for (const [interval, p] of pairs) {
    if (interval === null) continue;
    expect(interval[0] > 0 || interval[1] < 0, JSON.stringify(one)).toBe((p ?? 1) <= 1 - 0.95);
    expect(interval[0] <= (one.difference ?? 0) && (one.difference ?? 0) <= interval[1]).toBe(true);
  }
  expect(one.verdict === "inconclusive" || one.verdict === "equivalent").toBe(
    (one.p_value_adjusted ?? 1) > 1 - 0.95,
  );
}

function negative(value: number | null): number | null {
  return value === null ? null : 0 - value;
}
