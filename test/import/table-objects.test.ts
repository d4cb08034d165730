import { describe, expect, it } from "vitest";
import type { ImportOptions } from "../../src/index.ts";
import { answerOf, importBytes } from "./imports.ts";
import { sharedEngine } from "./shared.ts";

const engine = await sharedEngine();

const results = [true, true, false, true].map((passed, i) => ({ case_id: `c${i}`, passed, ms: 5 }));
const report = {
  model: "acme-small",
  accuracy: 0.75,
  total: 4,
  passed: 3,
  run_at: "2026-03-01",
  config: { k: 1 },
  results,
};

async function read(value: unknown, options: Partial<ImportOptions> = {}, spaces?: number) {
  return await importBytes(engine, JSON.stringify(value, null, spaces), options, "report.json");
}

describe("an object with a list of records", () => {
  it.each([
    ["on one line", report, 0, "results"],
    ["on many lines", report, 2, "results"],
    ["one level down", { ...report, results: undefined, run: { results } }, 2, "run.results"],
    [
      "one level down, by a name with a dot",
      { ...report, results: undefined, "v1.0": { results } },
      0,
      "v1.0.results",
    ],
    ["beside lists of other things", { ...report, models: ["a"], weights: [{ weight: 1 }] }, 0, "results"],
    ["beside a list of texts and objects", { ...report, stops: ["a", { id: 1, score: 1 }] }, 0, "results"],
  ])("%s is the table of that list, whose figures agree", async (_, value, spaces, path) => {
    const result = await read(value, { check: "fail" }, spaces);
    expect(result.evaluations).toMatchObject([
      {
        task: null,
        model: "acme-small",
        rows: 4,
        trials: 4,
        scorers: ["passed"],
        started_at: "2026-03-01T00:00:00.000000Z",
      },
    ]);
    expect(result.checks).toMatchObject({ agree: 3, differ: [], unchecked: [] });
    expect(result.notes).toContain(`the 4 records of ${path} are the table`);
    const { summary } = await answerOf(engine, result.evaluations[0]?.evaluation_call_id ?? "");
    expect(summary?.evaluations[0]?.scorer_stats).toMatchObject([{ scorer_key: "passed", pass_rate: 0.75 }]);
  });

  it("takes model and task of the records before those beside them", async () => {
    const own = results.map((one) => ({ ...one, model: "own" }));
    expect((await read({ ...report, results: own }, { dryRun: true })).evaluations).toMatchObject([
      { model: "own" },
    ]);
    const task = await read({ ...report, dataset: "quiz" }, { dryRun: true, table: { modelName: "flag" } });
    expect(task.evaluations).toMatchObject([{ task: "quiz", model: "flag" }]);
  });

  it.each([1772323200, 1772323200000, 1772323200000000, "2026-03-01"])("began at %s", async (timestamp) => {
    const { evaluations, checks } = await read({ ...report, run_at: undefined, timestamp }, { dryRun: true });
    expect(evaluations[0]?.started_at).toBe("2026-03-01T00:00:00.000000Z");
    expect(checks.unchecked).toEqual([]);
  });

  it("with two such lists is refused with both, or read by the one that is named", async () => {
    const both = { ...report, more: results.slice(1) };
    const refused = read(both);
    await expect(refused).rejects.toMatchObject({ code: "ambiguous_mapping" });
    await expect(refused).rejects.toThrow(/results \(4 records\) and more \(3 records\).*--records results/);
    const named = await read(both, { dryRun: true, table: { records: "more" } });
    expect(named.evaluations).toMatchObject([{ trials: 3 }]);
    const deep = await read({ a: { b: { c: results } } }, { dryRun: true, table: { records: "a.b.c" } });
    expect(deep.evaluations).toMatchObject([{ trials: 4 }]);
    await expect(read(both, { table: { records: "none" } })).rejects.toThrow(/no list of objects at "none"/);
  });

  it.each([
    [{ accuracy: 0.5, total: 2, models: [{ name: "a", mean: 1 }] }],
    [{ accuracy: 0.5, total: 2, models: { all: { deep: [{ name: "a", mean: 1 }] } } }],
  ])("with no score in one is refused with what it holds: %j", async (value) => {
    for (const spaces of [0, 2])
      await expect(read(value, {}, spaces)).rejects.toThrow(
        /an object with accuracy, total, models; no list in it holds records with a score/,
      );
  });

  it("that is cut stores nothing", async () => {
    const text = JSON.stringify(report).slice(0, -20);
    await expect(importBytes(engine, text, {}, "cut.json")).rejects.toMatchObject({ name: "ImportError" });
  });
});

it("an object whose results are empty is no record, though it has an id and a score", async () => {
  const refused = read({ id: "run", score: 0.75, results: [] });
  await expect(refused).rejects.toThrow("no list in it holds records with a score");
});

describe("figures beside records", () => {
  const rated = [4, 5, 3].map((rating, i) => ({ id: i, rating, is_ok: i > 0 }));

  it("are checked by what their names say, as they are rounded", async () => {
    const metrics = {
      mean_rating: 4,
      avg_rating: 4,
      rating_mean: 4,
      rating: 4,
      is_ok: 66.7,
      is_ok_pct: 66.67,
      meanRating: 4,
      "isOk (%)": 66.7,
    };
    const { checks } = await read({ n: 3, passed: 2, failed: 1, metrics, records: rated }, { dryRun: true });
    expect(checks).toMatchObject({ agree: 11, differ: [], unchecked: [] });
    const wrong = await read({ summary: { rating: 4.2, count: 4 }, records: rated }, { dryRun: true });
    expect(wrong.checks.differ).toMatchObject([
      { stat: "rating", stated: 4.2, computed: 4 },
      { stat: "count", stated: 4, computed: 3 },
    ]);
  });

  it("agree as a count of what is right and as the mean of trials, and that of rows explains one", async () => {
    const records = ["a", "a", "b"].map((id) => ({ id, correct: id === "a" }));
    for (const stated of [{ correct: 2 }, { accuracy: 0.6667 }, { total: 3 }]) {
      const { checks } = await read({ ...stated, records }, { dryRun: true });
      expect(checks).toMatchObject({ agree: 1, differ: [] });
    }
    const rows = await read({ accuracy: 0.5, records }, { dryRun: true, check: "fail" });
    expect(rows.checks.differ).toMatchObject([{ stat: "accuracy", explained_by: "rows instead of trials" }]);
    for (const stated of [{ total: 12.5 }, { n: 2 }]) {
      const { checks } = await read({ ...stated, records }, { dryRun: true });
      expect(checks).toMatchObject({ differ: [], unchecked: [{ what: Object.keys(stated)[0] }] });
    }
    const { checks } = await read({ accuracy: 0.55, records }, { dryRun: true });
    expect(checks.differ).toMatchObject([{ stat: "accuracy", stated: 0.55 }]);
  });

  it("are unchecked where nothing says what they are", async () => {
    const { checks } = await read(
      { accuracy: 0.1, speed: 9, records: rated },
      { dryRun: true, check: "fail" },
    );
    expect(checks.unchecked.map(({ what }) => what)).toEqual(["accuracy", "speed"]);
    const gaps = [...rated, { id: 9, rating: null, is_ok: null }];
    const missing = await read(
      { rating: 3, passed: 2, failed: 2, records: gaps },
      { dryRun: true, check: "fail" },
    );
    expect(missing.checks).toMatchObject({
      agree: 1,
      differ: [
        { stat: "rating", explained_by: "nulls as failures (--count-nulls-as 0)" },
        { stat: "failed", explained_by: "nulls as failures (--count-nulls-as 0)" },
      ],
      unchecked: [],
    });
  });
});

describe("lists and lines", () => {
  it("of lists whose first is the header are a table", async () => {
    const rows = [
      ["id", "score"],
      ["a", 1],
      ["b", 0.5],
    ];
    const result = await read(rows, { dryRun: true });
    expect(result.evaluations).toMatchObject([{ trials: 2, scorers: ["score"] }]);
    await expect(read([...rows, ["c"]])).rejects.toMatchObject({ place: "[3]", reason: /has 1 cells/ });
  });

  it("of objects stay a table of their lines", async () => {
    const lines = [1, 2]
      .map((id) => JSON.stringify({ id, score: 1, steps: [{ id: 1, score: 0 }] }))
      .join("\n");
    const result = await importBytes(engine, lines, { dryRun: true });
    expect(result.evaluations).toMatchObject([{ trials: 2 }]);
  });
});
