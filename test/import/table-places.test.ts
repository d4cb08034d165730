import { describe, expect, it } from "vitest";
import type { ImportOptions } from "../../src/index.ts";
import { answerOf, importBytes } from "./imports.ts";
import { sharedEngine } from "./shared.ts";

const engine = await sharedEngine();

async function read(value: unknown, options: Partial<ImportOptions> = {}, spaces = 0) {
  return await importBytes(engine, JSON.stringify(value, null, spaces), options, "results.json");
}

/** Trials, rows and the scores with their rates or means, of each evaluation of a value by its task and model. */
async function found(value: unknown, table: ImportOptions["table"] = {}) {
  const { evaluations, notes } = await read(value, { table });
  const all = [];
  for (const { evaluation_call_id: id, task, model, trials, rows } of evaluations) {
    const { summary } = await answerOf(engine, id);
    const stats = summary?.evaluations[0]?.scorer_stats ?? [];
    const scores = stats.map((one) => [one.scorer_key, one.pass_rate ?? one.numeric_mean]);
    all.push({ task, model, trials, rows, scores: Object.fromEntries(scores) as object });
  }
  return { all, notes: notes.join("\n") };
}

const asked = (...correct: (boolean | null)[]) =>
  correct.map((one, i) => ({ question: `q${i}`, answer: "a", correct: one }));

describe("records in lists of a list", () => {
  const suites = [
    { name: "capitals", averageScore: 0.5, results: asked(true, false) },
    { name: "sums", averageScore: 1, results: asked(true) },
  ];

  it.each([
    ["at the top", suites, "results"],
    ["in an object", { run: { id: 1 }, evals: suites }, "evals.results"],
    ["one level down", { run: { evals: suites } }, "run.evals.results"],
  ])("%s are the table, whose tasks stand around them", async (_, value, path) => {
    const { all, notes } = await found(value);
    expect(all).toMatchObject([
      { task: "capitals", trials: 2, rows: 2, scores: { correct: 0.5 } },
      { task: "sums", trials: 1, rows: 1, scores: { correct: 1 } },
    ]);
    expect(notes).toContain(`the records of ${path} are the table`);
    const again = await read(value, { dryRun: true, check: "fail", table: { records: path } });
    expect(again).toMatchObject({ evaluations: [{ trials: 2 }, { trials: 1 }], checks: { agree: 2 } });
  });

  it("have the model that stands around them, and figures of their own task", async () => {
    const runs = ["a", "b"].map((model, i) => ({ model, accuracy: i, results: asked(i === 1, i === 1) }));
    const { all } = await found(runs);
    expect(all).toMatchObject([
      { model: "a", scores: { correct: 0 } },
      { model: "b", scores: { correct: 1 } },
    ]);
    const wrong = suites.map((suite) => ({ ...suite, averageScore: 0.1 }));
    const { checks } = await read(wrong, { dryRun: true });
    expect(checks.differ).toMatchObject([
      { stated: 0.1, computed: 0.5 },
      { stated: 0.1, computed: 1 },
    ]);
  });

  it.each(["tests", "cases", "test_cases"])("%s are known by their names in their suite", async (list) => {
    const adds = { name: "adds", passed: true };
    const named = [
      { name: "sums", [list]: [adds, { name: "divides", passed: false }] },
      { name: "texts", [list]: [adds] },
    ];
    const { all } = await found({ suites: named });
    expect(all).toMatchObject([
      { task: "sums", trials: 2, rows: 2, scores: { passed: 0.5 } },
      { task: "texts", trials: 1, rows: 1, scores: { passed: 1 } },
    ]);
    // Of records that have ids they are scores.
    const records = [{ id: 1, [list]: [adds, { name: "divides", passed: false }] }];
    expect((await found(records)).all).toMatchObject([
      { trials: 1, rows: 1, scores: { adds: 1, divides: 0 } },
    ]);
  });

  it("are no table where they are parts of a record that says what was asked", async () => {
    const records = asked(true, false).map((one, i) => ({
      ...one,
      contexts: [{ id: i, score: 0.5 }],
      messages: [{ role: "user", content: "q", id: 1 }],
      attempts: [{ id: 7, score: 1 }],
    }));
    for (const value of [records, { data: records }])
      expect((await found(value)).all).toMatchObject([{ trials: 2, scores: { correct: 0.5 } }]);
  });
});

describe("records by their keys", () => {
  it("have these as rows", async () => {
    const report = { "tool-1": { resolved: true, patch: "x" }, "tool-2": { resolved: false, patch: "y" } };
    for (const value of [report, { model: "m", results: report }])
      expect((await found(value)).all).toMatchObject([{ trials: 2, rows: 2, scores: { resolved: 0.5 } }]);
    const counted = { 0: { correct: true, output: "a" }, 1: { correct: true, output: "b" } };
    const { all } = await found(counted);
    expect(all).toMatchObject([{ trials: 2, rows: 2, scores: { correct: 1 } }]);
  });

  it("that are only counted have their inputs as rows", async () => {
    const { all, notes } = await found(
      Object.fromEntries(asked(true, false, false).map((one, i) => [i, one])),
    );
    expect(all).toMatchObject([{ trials: 3, rows: 3 }]);
    expect(notes).toContain("row = question");
  });

  it.each([
    [{ "i-1": true, "i-2": false, "i-3": false }],
    [{ "i-1": "resolved", "i-2": "unresolved", "i-3": "UNRESOLVED" }],
    [{ model: "m", verdicts: { "i-1": "yes", "i-2": "no", "i-3": "no" } }],
  ])("are verdicts alone: %j", async (value) => {
    const { all } = await found(value);
    expect(all).toMatchObject([{ trials: 3, rows: 3, scores: { passed: expect.closeTo(1 / 3, 9) } }]);
  });

  it.each([
    [{ "i-1": true, "i-2": null, "i-3": "skipped", "i-4": false }, 3, 1],
    [{ "i-1": "passed", "i-2": "Skip", "i-3": "failed" }, 2, 0],
    [
      { model: "m", verdicts: { "i-1": "resolved", "i-2": "n/a", "i-3": "unresolved", "i-4": "not run" } },
      4,
      2,
    ],
  ])("may have no verdict, and are no trials where they were skipped: %j", async (value, trials, none) => {
    const { all, notes } = await found(value);
    expect(all).toMatchObject([{ trials, rows: trials, scores: { passed: 0.5 } }]);
    expect(/passed: (\d) of \d trials have no verdict/.exec(notes)?.[1] ?? "0").toBe(String(none));
    expect(notes.includes("were skipped by the run")).toBe(trials + 1 === Object.keys(value).length);
  });

  it("are none in columns, in means and in settings", async () => {
    const columns = { id: { 0: 1, 1: 2 }, correct: { 0: true, 1: false } };
    await expect(read(columns)).rejects.toThrow(/records or columns by name|no list in it/);
    const means = { a: { accuracy: 0.5, f1: 0.5 }, b: { accuracy: 0.5, f1: 0.25 } };
    await expect(read(means)).rejects.toThrow(/holds figures and no trials/);
    const settings = { config: { cache: true, stream: false }, accuracy: 0.5, models: [{ name: "a" }] };
    await expect(read(settings)).rejects.toThrow(/no list in it holds records with a score/);
  });
});

describe("records that nothing tells the row of", () => {
  const details = [true, false, true, true].map((correct) => ({ correct, ms: 5 }));

  it("are refused with what is missing, and read by their place", async () => {
    await expect(read({ accuracy: 0.75, details })).rejects.toThrow(
      "details holds 4 records with the score correct, and nothing tells what was asked: --row-column or --input-column, or --row-column '#' for their place",
    );
    const { all } = await found({ accuracy: 0.75, details }, { row: "#" });
    expect(all).toMatchObject([{ trials: 4, rows: 4, scores: { correct: 0.75 } }]);
    const lines = details.map((one) => JSON.stringify(one)).join("\n");
    await expect(importBytes(engine, lines)).rejects.toThrow("--row-column '#'");
    for (const text of [lines, "correct,ms\ntrue,5\nfalse,5\ntrue,1\ntrue,2\n"]) {
      const { evaluations } = await importBytes(engine, text, { dryRun: true, table: { row: "#" } });
      expect(evaluations).toMatchObject([{ trials: 4, rows: 4 }]);
    }
  });
});

describe("a page of records", () => {
  const data = asked(true, false);

  it.each([
    [{ data, meta: { page: 1, limit: 2, totalItems: 8, totalPages: 4 } }, "page 1 of 4, 2 of 8 records"],
    [{ data, page: 2, total_pages: 3 }, "page 2 of 3, 2 records"],
    [{ results: data, total: 10, offset: 0, limit: 2 }, "2 of 10 records"],
    [{ items: data, pagination: { nextCursor: "abc" } }, "2 records"],
    [{ data, has_more: true, object: "list" }, "2 records"],
    [{ data, links: { next: "https://x/2" } }, "2 records"],
  ])("%j is told, and refused where figures must agree", async (value, part) => {
    const text = `${part}: get the others, and import them together with --evaluation NAME`;
    const { notes, evaluations, checks } = await read(value, { dryRun: true });
    expect(notes).toContain(text);
    expect(evaluations).toMatchObject([{ trials: 2 }]);
    expect(checks.differ).toEqual([]);
    const refused = read(value, { dryRun: true, check: "fail" });
    await expect(refused).rejects.toMatchObject({ code: "check_failed", reason: text });
  });

  it.each([
    [{ data, meta: { page: 1, limit: 10, totalItems: 2, totalPages: 1 } }],
    [{ data, next: null, total: 2 }],
    [{ data, has_more: false, nextCursor: "" }],
  ])("%j is whole", async (value) => {
    const { notes } = await read(value, { dryRun: true, check: "fail" });
    expect(notes.join("\n")).not.toContain("get the others");
  });
});
