import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  openEngine,
  type CompareRequest,
  type Comparison,
  type Engine,
  type LeaderboardRequest,
} from "../../src/index.ts";
import { PROJECT, root, trial } from "../support/records.ts";

const SEED = Number(process.env["SEED"] ?? 91);

/** Values by model and task; a row is known by its task and place, so that models meet on it. */
type Runs = Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>>;

/** An evaluation of each model and task, or with `whole` one of each model over the rows of all of its tasks. */
function callsOf(runs: Runs, whole = false): object[] {
  return Object.entries(runs).flatMap(([model, tasks]) =>
    Object.entries(tasks).flatMap(([task, values]) => {
      const id = whole ? model : `${model}-${task}`;
      const inputs = { self: `svc:///acme/qa/object/${task}:v1`, model };
      return [
        ...(whole ? [root(id, { inputs: { model } })] : [root(id, { inputs, attributes: { task } })]),
        ...values.map((score, i) =>
          trial(`${model}-${task}-${i}`, { task, i }, { score }, { parent_id: id }),
        ),
      ];
    }),
  );
}

async function engineWith(calls: readonly object[]): Promise<Engine> {
  const engine = await openEngine();
  await engine.ingestCalls(calls);
  return engine;
}

/** Random scores of two or three models in up to four tasks, numbers or true and false. */
const randomRuns = fc
  .tuple(fc.boolean(), fc.array(fc.integer({ min: 2, max: 6 }), { minLength: 1, maxLength: 4 }))
  .chain(([binary, sizes]) => {
    const value: fc.Arbitrary<unknown> = binary
      ? fc.boolean()
      : fc.integer({ min: -40, max: 40 }).map((n) => n / 8);
    const tasks = fc.tuple(...sizes.map((n) => fc.array(value, { minLength: n, maxLength: n })));
    const model = tasks.map((lists) =>
      Object.fromEntries(lists.map((values, i) => [`task-${i}`, values] as const)),
    );
    return fc.record({ one: model, two: model, three: model });
  });

describe("tasks that weigh by their rows", () => {
  it("compare as one evaluation over the rows of all of them does", async () => {
    let told = 0;
    const property = fc.asyncProperty(randomRuns, async (runs) => {
      const [tasks, whole] = [await engineWith(callsOf(runs)), await engineWith(callsOf(runs, true))];
      const request: CompareRequest = { baseline: "one", candidates: ["two", "three"], margin: 0.5 };
      const pooled = await tasks.compareEvaluations(PROJECT, { ...request, by: "model", weights: "rows" });
      const { comparisons, family_size } = await whole.compareEvaluations(PROJECT, request);
      expect(pooled.family_size).toBe(family_size);
      for (const [i, { task_count, ...one }] of pooled.comparisons.entries()) {
        expect(task_count).toBe(Object.keys(runs.one).length);
        expect(rounded(one)).toEqual(rounded(comparisons[i]));
        told += 1;
      }
      const boards = [
        await tasks.leaderboard(PROJECT, { by: "model", weights: "rows" }),
        await whole.leaderboard(PROJECT, { by: "model" }),
      ];
      const [first, second] = boards.map(({ entries }) =>
        entries.map(({ model, standing, rank_interval, row_count, scores }) => ({
          model,
          standing,
          rank_interval,
          row_count,
          mean: scores[0]?.row_mean?.toFixed(9),
          n: scores[0]?.scored_row_count,
        })),
      );
      expect(sorted(first)).toEqual(sorted(second));
      await Promise.all([tasks.close(), whole.close()]);
    });
    await fc.assert(property, { seed: SEED, numRuns: 12 });
    expect(told).toBeGreaterThan(0);
  });
});

/** Models of equal means are ordered by the ids of their evaluations, which differ. */
function sorted(entries: readonly { readonly model: string | null }[] | undefined) {
  return entries?.toSorted((a, b) => String(a.model).localeCompare(String(b.model)));
}

/** A comparison with its numbers in nine digits, since sums of means round otherwise than means of sums. */
function rounded(one: Comparison | undefined): unknown {
  return JSON.parse(
    JSON.stringify(one, (_name, value: unknown) =>
      typeof value === "number" ? Number(value.toPrecision(9)) + 0 : value,
    ),
  );
}

/** The figures are computed by R: `sigma(lm(y ~ task)) / sqrt(N)`, `t.test`, and Welch and Satterthwaite's formula. */
describe("models over tasks of 4, 3 and 2 rows", () => {
  let engine: Engine;
  const ask = (request: LeaderboardRequest) => engine.leaderboard(PROJECT, { by: "model", ...request });
  const compare = (candidate: string, request: Partial<CompareRequest> = {}) =>
    engine.compareEvaluations(PROJECT, {
      baseline: "m1",
      candidates: [candidate],
      by: "model",
      ...request,
    });

  beforeAll(async () => {
    engine = await engineWith([
      ...callsOf({
        m1: { a: [1, 0.5, 0.75, 1], b: [0.2, 0.9, 0.4], c: [1, 0] },
        m2: { a: [0.5, 0.5, 0.25, 1], b: [0.4, 0.6, 0.1], c: [0, 0] },
        m3: { a: [0, 0.25, 0.5, 0.5], b: [0.3, 0.3, 0.6] },
      }),
      root("m1-old", {
        inputs: { self: "svc:///acme/qa/object/a:v1", model: "m1" },
        started_at: "2025-01-01T00:00:00Z",
      }),
      trial("m1-old-0", { task: "a", i: 0 }, { score: 0 }, { parent_id: "m1-old" }),
    ]);
  });
  afterAll(() => engine.close());

  it.each([
    ["rows", "m1", 0.6388888888888888, 0.1313656897536204, [0.3174486257969219, 0.9603291519808558]],
    ["rows", "m2", 0.3722222222222222, 0.08856276981627702, [0.1555169311885501, 0.5889275132558944]],
    ["rows", "m3", 0.35, 0.08139410298049854, [0.1407697973504189, 0.559230202649581]],
    ["tasks", "m1", 0.6041666666666666, 0.1848892311027816, [-0.5183212941309804, 1.726654627464314]],
    ["tasks", "m2", 0.3097222222222222, 0.07137591754183109, [0.1254016545693364, 0.4940427898751081]],
    ["tasks", "m3", 0.35625, 0.07797903030088708, [0.1557673701635562, 0.5567326298364438]],
  ] as const)("weighs %s of %s", async (weights, model, mean, error, [low, high]) => {
    const { entries } = await ask({ weights });
    const score = entries.find((one) => one.model === model)?.scores[0];
    expect(score?.row_mean).toBeCloseTo(mean, 12);
    expect(score?.standard_error).toBeCloseTo(error, 12);
    expect(score?.confidence_interval?.[0]).toBeCloseTo(low, 9);
    expect(score?.confidence_interval?.[1]).toBeCloseTo(high, 9);
  });

  it("tells the tasks of an entry, takes the latest evaluation of each, and names a task that a model lacks", async () => {
    const { entries, weights, warnings } = await ask({ weights: "tasks" });
    expect(weights).toBe("tasks");
    expect(entries.map(({ model }) => model)).toEqual(["m1", "m3", "m2"]);
    const first = entries.find(({ model }) => model === "m1");
    expect(first).toMatchObject({ task_count: 3, row_count: 9, trial_count: 9, evaluation_count: 4 });
    expect(first?.tasks).toEqual([
      { name: "a", evaluation_call_id: "m1-a", rows: 4, scored_rows: 4, mean: 0.8125 },
      { name: "b", evaluation_call_id: "m1-b", rows: 3, scored_rows: 3, mean: 0.5 },
      { name: "c", evaluation_call_id: "m1-c", rows: 2, scored_rows: 2, mean: 0.5 },
    ]);
    expect(warnings).toEqual(['"m3" is ordered by 2 of 3 tasks; it has no value in c']);
  });

  it("names the task of one row, whose model has no error then", async () => {
    const filters: LeaderboardRequest["filters"] = [
      {
        query: {
          $expr: {
            $or: [
              { $eq: [{ $getField: "inputs.i" }, { $literal: 1 }] },
              { $eq: [{ $getField: "inputs.task" }, { $literal: "a" }] },
            ],
          },
        },
      },
    ];
    const { entries, warnings } = await ask({ weights: "rows", filters });
    const first = entries.find(({ model }) => model === "m1")?.scores[0];
    expect(first).toMatchObject({ scored_row_count: 6, standard_error: null, confidence_interval: null });
    expect(warnings).toContain(
      '"m1", score: one row only has a value in b, c, so the mean has no error and no interval',
    );
  });

  it("says without weights that one task stands for a model, and names both ways out", async () => {
    const { entries, warnings } = await ask({});
    expect(entries.map(({ task_count, tasks }) => [task_count, tasks])).toEqual(
      entries.map(() => [undefined, undefined]),
    );
    expect(warnings).toEqual([
      expect.stringMatching(
        /^the latest evaluation stands for .*: .*m1 \(3 tasks\).*; where keeps .*, weights pools /,
      ),
    ]);
    const one = await ask({ where: { "attributes.task": "a" } });
    expect(one.warnings).toEqual([]);
  });

  it.each([
    ["m2", "rows", "paired-t", 9, 3, -0.2666666666666667, 0.1224744871391589, 0.06111684121760467],
    ["m2", "tasks", "welch-t", 9, 3, -0.2944444444444445, 0.1821510701195, 0.2949168913802913],
    ["m3", "rows", "paired-t", 7, 2, -0.3285714285714286, 0.1565464874121691, 0.08060302274889768],
    ["m3", "tasks", "welch-t", 7, 2, -0.3, 0.1537720173937161, 0.1258196631454448],
  ] as const)(
    "compares m1 with %s by %s",
    async (candidate, weights, method, n, tasks, difference, se, p) => {
      const { comparisons, warnings } = await compare(candidate, { weights });
      expect(comparisons).toMatchObject([{ candidate, method, n_common: n, task_count: tasks }]);
      expect(comparisons[0]?.difference).toBeCloseTo(difference, 12);
      expect(comparisons[0]?.standard_error).toBeCloseTo(se, 12);
      expect(comparisons[0]?.p_value).toBeCloseTo(p, 9);
      const lonely = '"m1" and "m3": only "m1" has c, which is left out';
      expect(warnings).toEqual(candidate === "m3" ? [lonely] : []);
    },
  );

  it("stands against the best as the comparison of the two models says", async () => {
    for (const weights of ["rows", "tasks"] as const) {
      const { entries } = await ask({ weights, adjust: "none" });
      for (const candidate of ["m2", "m3"]) {
        const found = entries.find(({ model }) => model === candidate)?.against_best;
        const { comparisons } = await compare(candidate, { weights, adjust: "none" });
        const { alone: _ofThePair, ...among } = found ?? {};
        expect(among).toEqual(comparisons[0]);
      }
    }
  });

  it("ranks all pairs where the baseline was chosen for its mean", async () => {
    const { ranks } = await compare("m2", {
      candidates: ["m2", "m3"],
      baseline_is_best: true,
      weights: "tasks",
    });
    expect(ranks?.map(({ evaluation_call_id: id, standing }) => [id, standing])).toEqual([
      ["m1", "best"],
      ["m2", "not_shown_worse"],
      ["m3", "not_shown_worse"],
    ]);
  });

  it("compares the tasks that where keeps", async () => {
    const { comparisons } = await compare("m3", { where: { "attributes.task": "a" } });
    expect(comparisons).toMatchObject([{ n_common: 4, task_count: 1, difference: -0.5 }]);
  });

  it.each<[Partial<CompareRequest>, RegExp]>([
    [{ candidates: ["m4"] }, /^candidates\[0\]: no evaluation of a model "m4" has trials; did you mean/],
    [{ where: { "attributes.task": "z" } }, /^baseline: .* has trials among those that where keeps/],
    [{ by: null, weights: "rows" }, /^weights: goes with by: "model" alone/],
    [{ by: "evaluation", where: {} }, /^where: goes with by: "model" alone/],
    [{ cluster_by: "inputs.task" }, /^cluster_by: does not go together with tasks/],
    [{ corrected_by: { human: "feedback.x" } }, /^corrected_by: does not go together with tasks/],
  ])("refuses a comparison with %j by name", async (request, message) => {
    await expect(compare("m2", request)).rejects.toThrow(message);
  });

  it("refuses weights of a leaderboard without models", async () => {
    await expect(ask({ by: "evaluation", weights: "rows" })).rejects.toThrow(/^weights: goes with by/);
    await expect(ask({ weights: "mean" as "rows" })).rejects.toThrow(/^weights: /);
  });
});
