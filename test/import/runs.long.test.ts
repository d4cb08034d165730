import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { openEngine, type Engine, type ImportOptions } from "../../src/index.ts";
import { importBytes, PROJECT } from "./imports.ts";
import { instanceStats, requestState, writeRunFolder } from "./helm-logs.ts";
import { header, jsonLog, sample } from "./inspect-logs.ts";
import { newFolders } from "./shared.ts";

const newFolder = newFolders();
let folder = "";
let engine: Engine;

beforeEach(async () => {
  folder = newFolder();
  engine = await openEngine();
  return () => engine.close();
});

function write(name: string, text: string): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const csv = (...scores: readonly (number | string)[]) =>
  ["id,score", ...scores.map((score, i) => `${i + 1},${score}`), ""].join("\n");

async function load(files: string | readonly string[], options: Partial<ImportOptions> = {}) {
  return await engine.importEvaluations(files, { project: PROJECT, ...options });
}

/** The stored runs: name, and the scores by row. */
async function stored(key = "score") {
  const runs = await engine.listEvaluations(PROJECT);
  return await Promise.all(
    runs.map(async ({ id, display_name: name }) => {
      const { rows } = await engine.queryEvalResults(PROJECT, {
        evaluation_call_ids: [id],
        include_raw_data_rows: true,
        resolve_row_refs: true,
      });
      const scores = rows.map((row): [string, unknown[]] => [
        (row.raw_data_row as { row: string }).row,
        row.evaluations[0]?.trials.map((one) => one.scores[key]) ?? [],
      ]);
      return { name, scores: Object.fromEntries(scores) as Record<string, unknown[]> };
    }),
  );
}

const noteOf = (result: { readonly notes: readonly string[] } | undefined) => result?.notes.join("\n") ?? "";

describe("a file that does not say which run it is", () => {
  it("is a run of its own, named by the folder that differs", async () => {
    const before = write("before/out/scores.csv", csv(1, 0));
    const after = write("after/out/scores.csv", csv(1));
    await load([before, after]);
    const runs = await stored();
    expect(runs.toSorted((a, b) => (a.name ?? "").localeCompare(b.name ?? ""))).toEqual([
      { name: "after", scores: { 1: [1] } },
      { name: "before", scores: { 1: [1], 2: [0] } },
    ]);
  });

  it("is a run of its own in a command of its own too", async () => {
    await load(write("before/scores.csv", csv(1, 0)));
    await load(write("after/scores.csv", csv(1)));
    const names = (await stored()).map(({ name }) => name);
    expect(new Set(names)).toEqual(new Set(["scores", "scores (after)"]));
  });

  it("is the same run in another folder, and changes nothing there", async () => {
    const [first] = await load(write("a/scores.csv", csv(1, 0)), { table: { taskName: "t" } });
    const [again] = await load(write("b/scores.csv", csv(1, 0)), { table: { taskName: "t" } });
    expect(again).toMatchObject({ stored: 0, unchanged: first?.received });
    expect(noteOf(again)).not.toContain("replaces");
    expect(again?.evaluations[0]?.evaluation_call_id).toBe(first?.evaluations[0]?.evaluation_call_id);
    const elsewhere = await openEngine();
    const [copy] = await elsewhere.importEvaluations(path.join(folder, "b/scores.csv"), {
      project: PROJECT,
      table: { taskName: "t" },
    });
    await elsewhere.close();
    expect(copy?.evaluations[0]?.evaluation_call_id).toBe(first?.evaluations[0]?.evaluation_call_id);
  });

  it("goes on where it was written further, and has then the content of both", async () => {
    const text = csv(1, 0);
    const file = write("scores.csv", text);
    const [first] = await load(file);
    const [second] = await load(write("scores.csv", `${text}3,1\n`));
    expect(second?.evaluations[0]?.evaluation_call_id).toBe(first?.evaluations[0]?.evaluation_call_id);
    expect(noteOf(second)).not.toContain("replaces");
    await load(write("scores.csv", `${text}3,1\n4,1\n`));
    expect(await stored()).toEqual([{ name: "scores", scores: { 1: [1], 2: [0], 3: [1], 4: [1] } }]);
    expect((await load(file)).at(0)).toMatchObject({ stored: 0 });
  });

  it("is a new run with other content, and the note names the run before it and the way out", async () => {
    const file = write("scores.csv", csv(1, 0));
    const [first] = await load(file);
    write("scores.csv", csv(0, 0));
    const [second] = await load(file);
    expect(noteOf(second)).toContain(first?.evaluations[0]?.evaluation_call_id);
    expect(noteOf(second)).toContain("--replace");
    write("scores.csv", csv(0.5));
    await load(file);
    const runs = await stored();
    expect(new Set(runs.map(({ name }) => name))).toEqual(new Set(["scores", "scores (2)", "scores (3)"]));
    expect(runs.map(({ scores }) => scores)).toContainEqual({ 1: [1], 2: [0] });
  });

  it("replaces its latest run where that is asked for, and says how much", async () => {
    const before = write("before/scores.csv", csv(1, 0, 1));
    const other = write("after/scores.csv", csv(0));
    const [first] = await load([before, other]);
    write("before/scores.csv", csv(1, 1));
    const [second] = await load(before, { replace: true });
    expect(second?.evaluations[0]?.evaluation_call_id).toBe(first?.evaluations[0]?.evaluation_call_id);
    expect(noteOf(second)).toMatch(
      /replaces 2 of 3 trials of before.* imported from scores\.csv on \d{4}-\d\d-\d\d/,
    );
    expect((await stored()).map(({ scores }) => scores)).toEqual(
      expect.arrayContaining([{ 1: [1], 2: [1] }, { 1: [0] }]),
    );
    expect((await load(before, { replace: true })).at(0)).toMatchObject({ stored: 0 });
  });

  it("has a trial again that comes back with a later edit, as often as it does", async () => {
    const file = write("scores.csv", csv(1, 0));
    await load(file);
    for (const [text, scores] of [
      [csv(1), { 1: [1] }],
      [csv(1, 0.5), { 1: [1], 2: [0.5] }],
      [csv(1, 0.25), { 1: [1], 2: [0.25] }],
      [csv(1), { 1: [1] }],
      [csv(0, 0.75), { 1: [0], 2: [0.75] }],
    ] as const) {
      write("scores.csv", text);
      await load(file, { replace: true });
      expect(await stored()).toEqual([{ name: "scores", scores }]);
    }
  });

  it("loses with a replacement what its trials no longer have: errors, latency, scores that lie apart", async () => {
    const file = write("scores.csv", "id,score,error,latency\n1,,down,2\n2,1,,\n");
    await load(file, { table: { taskName: "t" } });
    write("scores.csv", "id,score,error\n1,1,\n2,1,\n");
    await load(file, { replace: true, table: { taskName: "t" } });
    const [run] = await engine.listEvaluations(PROJECT);
    const { summary, rows } = await engine.queryEvalResults(PROJECT, {
      evaluation_call_ids: [run?.id ?? ""],
      include_summary: true,
    });
    expect(summary?.evaluations[0]).toMatchObject({ trial_count: 2, scorer_stats: [{ numeric_mean: 1 }] });
    expect(rows.map((row) => row.evaluations[0]?.trials[0]?.model_latency_seconds)).toEqual([null, null]);
    const long = write("long.csv", "id,metric,value\n1,bleu,1\n1,judge,0\n");
    await load(long);
    write("long.csv", "id,metric,value\n1,bleu,0.5\n");
    await load(long, { replace: true });
    const found = (await stored("judge")).find(({ name }) => name === "long");
    expect(found?.scores).toEqual({ 1: [undefined] });
    write("long.csv", "id,metric,value\n1,bleu,0.5\n1,judge,1\n");
    await load(long, { replace: true });
    expect((await stored("judge")).find(({ name }) => name === "long")?.scores).toEqual({ 1: [1] });
  });

  it("is split by a run column, which does not make one run of two files", async () => {
    const table = { taskName: "t", modelName: "m" };
    await load(write("a.csv", "id,run,score\n1,x,1\n2,x,1\n1,y,0\n2,y,0\n"), { table });
    await load(write("b.csv", "id,run,score\n1,x,0\n2,x,0\n"), { table });
    expect((await engine.listEvaluations(PROJECT)).map((one) => one.trial_count)).toEqual([2, 2, 2]);
  });

  it("is another run than one of equal content under another name: two models may answer alike", async () => {
    const table = { taskName: "t", modelName: "m" };
    await load(write("a.csv", csv(1, 0)), { table });
    await load(write("b.csv", csv(1, 0)), { table });
    expect((await engine.listEvaluations(PROJECT)).map((one) => one.trial_count)).toEqual([2, 2]);
  });

  it("is one evaluation where a run has a value of its own in each record", async () => {
    const table = { taskName: "t", modelName: "m" };
    const [result] = await load(write("a.csv", "id,run_id,score\n1,x,1\n2,y,1\n3,z,0\n"), { table });
    expect(result?.evaluations).toMatchObject([{ trials: 3, rows: 3 }]);
    expect(noteOf(result)).toContain("run_id: each record has its own");
  });
});

describe("a run that is named", () => {
  const table = { evaluationName: "nightly", taskName: "t", modelName: "m" };

  it("has its files as parts", async () => {
    const a = write("a.csv", "id,score\n1,1\n2,0\n");
    const b = write("b.csv", "id,score\n2,0\n3,1\n");
    await load([a, b], { table });
    expect((await stored()).map(({ scores }) => scores)).toEqual([{ 1: [1], 2: [0], 3: [1] }]);
    write("b.csv", "id,score\n2,0\n4,1\n");
    await load([a, b], { table, replace: true });
    expect((await stored()).map(({ scores }) => scores)).toEqual([{ 1: [1], 2: [0], 4: [1] }]);
  });

  it("holds nothing of a part that is refused: the next one takes the place of what was there", async () => {
    await load(write("a.csv", "id,score\n1,1\n2,0\n"), { table });
    const bad = write("a.csv", "id,score\n1,0\n2,0\n3\n");
    const b = write("b.csv", "id,score\n1,1\n4,1\n");
    await expect(load([bad, b], { table, replace: true })).rejects.toThrow("has 1 cells");
    expect((await stored()).map(({ scores }) => scores)).toEqual([{ 1: [1], 4: [1] }]);
  });

  it("refuses a part that gives a trial in another way, and names both", async () => {
    const a = write("a.csv", "id,score\n1,1\n2,0\n");
    const b = write("b.csv", "id,score\n3,1\n2,0.5\n");
    const refused = load([a, b], { table });
    await expect(refused).rejects.toMatchObject({ code: "invalid", source: b, place: "line 3" });
    await expect(refused).rejects.toThrow(a);
    expect((await stored()).map(({ scores }) => scores)).toEqual([{ 1: [1], 2: [0] }]);
  });

  it("takes what a later command gives, and says what that replaces", async () => {
    await load(write("a.csv", "id,score\n1,1\n2,0\n"), { table });
    const [second] = await load(write("b.csv", "id,score\n2,1\n3,1\n"), { table });
    expect(noteOf(second)).toMatch(/replaces 1 of 2 trials of t: m \[nightly\].*from a\.csv/);
    expect((await stored()).map(({ scores }) => scores)).toEqual([{ 1: [1], 2: [1], 3: [1] }]);
  });
});

describe("a log that says which run it is", () => {
  it("says what another import of the run replaces, though its folder is another", async () => {
    const states = [requestState("a", "yes"), requestState("b", "no")];
    const run = (...scores: readonly number[]) => {
      const instances = scores.map((score, i) => instanceStats("ab"[i] ?? "", score));
      return writeRunFolder(newFolder(), { states, instances, stats: [] });
    };
    const [first] = await load(run(1, 0));
    const [second] = await load(run(1, 1));
    const { evaluation_call_id: id = "" } = first?.evaluations[0] ?? {};
    expect(second?.evaluations[0]?.evaluation_call_id).toBe(id);
    expect(noteOf(second)).toMatch(/replaces 1 of 2 trials of quiz:level=1,groups=a: org\/small/);
    expect(noteOf((await load(run(1, 1))).at(0))).not.toContain("replaces");
  });
});

function log(samples: readonly unknown[], accuracy: number): string {
  const grade = { name: "grade", scorer: "grade", metrics: { accuracy: { value: accuracy } } };
  return jsonLog(header({ completed_samples: samples.length, scores: [grade] }), samples);
}

const asking = (id: number | string, input: string, grade: string, epoch = 1) =>
  sample(id, epoch, { grade }, { input, target: "t" });

describe("a log with one sample id", () => {
  it.each([
    ["for two questions", [asking("a", "x?", "C"), asking("a", "y?", "I"), asking("b", "z?", "C")], 2 / 3, 3],
    ["as a number and as a text", [asking(1, "x?", "C"), asking("1", "x?", "I")], 0.5, 2],
    [
      "for two questions in each epoch",
      [1, 2].flatMap((epoch) => [asking("a", "x?", "C", epoch), asking("a", "y?", "I", epoch)]),
      0.5,
      2,
    ],
    ["for one question twice", [asking("a", "x?", "C"), asking("a", "x?", "I")], 0.5, 1],
  ])("%s has a trial for each sample", async (_, samples, accuracy, rows) => {
    const result = await importBytes(engine, log(samples, accuracy), { check: "fail" });
    expect(result.evaluations).toMatchObject([{ trials: samples.length, rows }]);
    const { summary } = await engine.queryEvalResults(PROJECT, {
      evaluation_call_ids: ["inspect:run-1"],
      include_summary: true,
    });
    const [evaluation] = summary?.evaluations ?? [];
    expect(evaluation?.trial_count).toBe(samples.length);
    expect(evaluation?.scorer_stats[0]?.numeric_mean).toBeCloseTo(accuracy, 9);
    expect((await importBytes(engine, log(samples, accuracy))).stored).toBe(0);
  });
});
