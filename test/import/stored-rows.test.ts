import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { openEngine, type Engine, type ImportOptions } from "../../src/index.ts";
import { scratchFolder } from "../support/scratch.ts";
import { answerOf, importBytes, importFile, PROJECT } from "./imports.ts";
import { header, jsonLog, sample } from "./inspect-logs.ts";

let engine: Engine;

beforeEach(async () => {
  engine = await openEngine();
  return () => engine.close();
});

type Table = ImportOptions["table"];

async function load(text: string, table: Table = {}, name = "t.csv", options: Partial<ImportOptions> = {}) {
  const result = await importBytes(engine, text, { ...options, table }, name);
  const id = result.evaluations[0]?.evaluation_call_id ?? "";
  return { ...result, id, told: result.notes.join("\n") };
}

async function rowsOf(...ids: string[]) {
  const { rows } = await answerOf(engine, ...ids);
  return rows.map((row) => row.raw_data_row);
}

async function detailsOf(id: string): Promise<unknown[]> {
  const found = await engine.sql<{ readonly details: string }>(
    PROJECT,
    `SELECT details FROM results WHERE evaluation_call_id = '${id}' ORDER BY trial_id`,
  );
  return found.toArray().map(({ details }) => JSON.parse(details) as unknown);
}

/** All that requests answer about some evaluations. */
async function answersAbout(...ids: string[]): Promise<string> {
  const request = { evaluation_call_ids: ids, include_summary: true };
  const sliced = await engine.queryEvalResults(PROJECT, { ...request, by: "inputs.input" });
  return JSON.stringify([await answerOf(engine, ...ids), sliced]);
}

/** A row as Weave writes it down, and calls of an evaluation of it. */
const weaveRow = (val: unknown) => JSON.stringify({ digest: "row1", val });

function weaveCalls(id: string): string {
  const shared = { project_id: PROJECT, trace_id: id, started_at: "2026-01-01T00:00:00Z" };
  const example = `weave:///${PROJECT}/object/Dataset:v1/attr/rows/id/row1`;
  const root = { ...shared, id, op_name: "Evaluation.evaluate", inputs: { self: "weave", model: "m" } };
  const trial = {
    ...shared,
    id: `${id}-1`,
    parent_id: id,
    op_name: "Evaluation.predict_and_score",
    inputs: { model: "m", example },
    output: { output: "a", scores: { correct: true } },
  };
  return [root, trial].map((call) => JSON.stringify(call)).join("\n");
}

function bandLog(eval_id: string, band: string): string {
  const head = header({}, {});
  const samples = [1, 2].map((id) => sample(id, 1, { match: 1 }, { metadata: { band } }));
  return jsonLog({ ...head, eval: { ...head.eval, eval_id } }, samples);
}

describe("a row of a table", () => {
  it("is known by its id or its inputs alone, in whatever file, format or place it is", async () => {
    const a = await load("id,question,correct\n1, q one ,true\n2,q two,false\n", {}, "baseline.csv");
    const b = await load(
      '{"id":2,"question":"q two","correct":true}\n{"id":1,"question":"q one","correct":true}',
      {},
      "candidate.jsonl",
    );
    const { comparisons } = await engine.compareEvaluations(PROJECT, {
      baseline: a.id,
      candidates: [b.id],
    });
    expect(comparisons).toMatchObject([{ n_common: 2, baseline_mean: 0.5, candidate_mean: 1 }]);
    const c = await load("question,correct\nx ,true\n", {}, "c.csv");
    const d = await load("prompt,correct\n x,true\n", {}, "d.csv");
    expect((await answerOf(engine, c.id, d.id)).rows).toHaveLength(1);
  });

  it("is another one in another task, and the file is no task", async () => {
    const text = "id,question,correct\n1,q,true\n";
    const ids = await Promise.all([
      load(text, { taskName: "a" }, "1.csv"),
      load(text, { taskName: "b" }, "2.csv"),
      load(text, {}, "3.csv"),
      load(text, {}, "4.csv"),
    ]);
    expect((await answerOf(engine, ...ids.map(({ id }) => id))).rows).toHaveLength(3);
    expect(ids[2]?.evaluations).toMatchObject([{ task: null }]);
    const [one, other, none] = ids.map(({ id }) => id);
    const compared = (baseline = "", candidate = "") =>
      engine.compareEvaluations(PROJECT, { baseline, candidates: [candidate] });
    await expect(compared(one, other)).rejects.toThrow(
      'the baseline has the task "a" and the candidate the task "b", which are part of the rows of a table: import both with the same --task',
    );
    await expect(compared(one, none)).rejects.toThrow("the candidate no task");
  });

  it("with another question under the same id is another one, within a file and against what is stored", async () => {
    const a = await load("id,question,score\n1,q one,1\n2,q two,1\n", {}, "a.csv");
    const b = await load("id,query,score\n1,other,0\n2, q two,0\n", {}, "b.csv");
    expect((await answerOf(engine, a.id, b.id)).rows).toHaveLength(3);
    expect(b.told).toMatch(/1 id .*row 1 asks "other" here and "q one" there; --row-column id/);
    const alone = await load("id,query,score\n1,else,0\n", { row: "id" }, "c.csv");
    expect((await answerOf(engine, a.id, alone.id)).rows).toHaveLength(2);
    const silent = await load("id,score\n1,0\n", {}, "d.csv");
    expect((await answerOf(engine, a.id, silent.id)).rows).toHaveLength(2);
    const both = await load("id,question,score\n7,x,1\n7,y,0\n", {}, "e.csv");
    expect(both.evaluations).toMatchObject([{ rows: 2, trials: 2 }]);
    expect(both.told).toMatch(/row 7 asks "y" here and "x" there/);
    expect(both.told).not.toContain("repeat");
  });

  it("with another question under the same id is another one in another file of the run, too", async () => {
    const run = { evaluationName: "both" };
    const a = await load("id,question,score\n1,q one,1\n2,q two,1\n", run, "a.csv");
    const b = await load("id,question,score\n1,other,0\n", run, "b.csv");
    expect(b.id).toBe(a.id);
    expect(b.told).not.toContain("replaces");
    const { rows, summary } = await answerOf(engine, a.id);
    expect(rows).toHaveLength(3);
    expect(summary?.evaluations).toMatchObject([{ trial_count: 3, scorer_stats: [{ numeric_mean: 2 / 3 }] }]);
    const again = await load("id,question,score\n1,other,0\n", run, "b.csv");
    expect(again).toMatchObject({ stored: 0, unchanged: again.received });
  });

  it("has beside an id what was sent with the trial where it differs", async () => {
    const a = await load("id,prompt,score\n1,v1: q,1\n2,same,1\n", {}, "a.csv");
    const b = await load("id,prompt,score\n1,v2: q,1\n2,same,0\n", {}, "b.csv");
    expect((await answerOf(engine, a.id, b.id)).rows).toHaveLength(2);
    expect(b.told).toContain(
      'prompt: 1 of 2 rows keep what is stored: row 1 has "v2: q" here and "v1: q" there',
    );
    expect(await detailsOf(b.id)).toEqual([{ row: { prompt: "v2: q" } }, {}]);
  });
});

describe("what a file brings", () => {
  it("is the trial's own, but for names of rows and what a flag names", async () => {
    const a = await load(
      "id,question,category,failure_type,final,meta_x,score\n1,q,c,tool,a1,m,1\n2,r,d,none,a2,n,0\n",
      { field: "meta_*" },
    );
    expect(a.told).toContain("to the row: meta_x, category; to the trial: failure_type, final");
    expect(await rowsOf(a.id)).toContainEqual({ row: "1", input: "q", category: "c", meta_x: "m" });
    expect(await detailsOf(a.id)).toContainEqual({ failure_type: "tool", final: "a1" });
    const apart = await load("id,category,score,trial\n1,c,1,1\n1,d,0,2\n", { taskName: "apart" });
    expect(apart.told).toContain("to the trial: category");
  });

  it("leaves stored rows as they are, says so, and keeps its own with its trials", async () => {
    const a = await load("id,question,expected,score\n1,q,A,1\n2,r,B,1\n3,s,C,1\n", {}, "a.csv");
    const before = await answersAbout(a.id);
    const b = await load("id,question,expected,level,score\n1,q,A,9,0\n2,r,X,8,0\n3,s,C,7,1\n", {}, "b.csv");
    expect(await answersAbout(a.id)).toBe(before);
    expect(b.told).toContain('expected: 1 of 3 rows keep what is stored: row 2 has "X" here and "B" there');
    expect(b.told).toContain("level: 3 rows are stored without it; it stays with the trials");
    expect(await detailsOf(b.id)).toEqual([
      { row: { level: 9 } },
      { row: { expected: "X", level: 8 } },
      { row: { level: 7 } },
    ]);
    const again = await load(
      "id,question,expected,level,score\n1,q,A,9,0\n2,r,X,8,0\n3,s,C,7,1\n",
      {},
      "b.csv",
    );
    expect(again).toMatchObject({ stored: 0, unchanged: again.received });
  });

  it("takes the place of rows that no other evaluation has, with its evaluation", async () => {
    const file = { evaluationName: "nightly" };
    const first = await load("id,question,expected,score\n1,q,A,1\n2,r,B,1\n", file);
    await load("id,question,expected,score\n2,r,B,1\n", {}, "other.csv");
    const fixed = await load("id,question,expected,score\n1,q,Z,1\n2,r,Y,1\n", file, "t.csv", {
      replace: true,
    });
    expect(fixed.id).toBe(first.id);
    expect(fixed.told).toContain("1 rows that no other evaluation has take their new values");
    expect(await rowsOf(fixed.id)).toEqual(
      expect.arrayContaining([
        { row: "1", input: "q", expected: "Z" },
        { row: "2", input: "r", expected: "B" },
      ]),
    );
    expect(await detailsOf(fixed.id)).toContainEqual({ row: { expected: "Y" } });
  });

  it("stays apart in other formats, too", async () => {
    const first = await importBytes(engine, bandLog("one", "easy"), {}, "a.json");
    const id = first.evaluations[0]?.evaluation_call_id ?? "";
    const before = await answersAbout(id);
    const second = await importBytes(engine, bandLog("two", "hard"), {}, "b.json");
    expect(await answersAbout(id)).toBe(before);
    expect(second.notes.join()).toContain("metadata: 2 of 2 rows keep what is stored");
    expect(await detailsOf(second.evaluations[0]?.evaluation_call_id ?? "")).toMatchObject([
      { row: { metadata: { band: "hard" } } },
      { row: { metadata: { band: "hard" } } },
    ]);
  });

  it("stays as it is stored where rows of Weave say something else", async () => {
    await importBytes(engine, weaveRow({ input: "q", expected: "A" }), {}, "rows.jsonl");
    await importBytes(engine, weaveCalls("w1"), {}, "calls.jsonl");
    const before = await answersAbout("w1");
    const second = `${weaveRow({ input: "q", expected: "B", level: 3 })}\n${weaveCalls("w2")}`;
    const { notes, stored, unchanged } = await importBytes(engine, second, {}, "second.jsonl");
    expect(await answersAbout("w1")).toBe(before);
    expect({ stored, unchanged }).toEqual({ stored: 2, unchanged: 1 });
    expect(notes).toContain('expected: 1 of 1 rows keep what is stored: row row1 has "B" here and "A" there');
    expect(notes).toContain("level: 1 rows are stored without it; it is left out");
    const row = JSON.stringify({ project_id: PROJECT, digest: "row1", val: { input: "q" } });
    const less = await importBytes(engine, row, { project: undefined }, "less.jsonl");
    expect(less.notes.join()).not.toContain("stored");
    expect(await rowsOf("w1")).toEqual([{ input: "q", expected: "A" }]);
  });

  it("stays as it is stored where an export says something else, which its trials keep", async () => {
    const own = await load("id,question,expected,score\n1,q,A,1\n", {}, "own.csv");
    const before = await answersAbout(own.id);
    const other = await openEngine();
    try {
      const { evaluations } = await importBytes(other, "id,question,expected,level,score\n1,q,B,9,0\n");
      const id = evaluations[0]?.evaluation_call_id ?? "";
      const file = path.join(scratchFolder(), "trials.jsonl");
      const request = { evaluation_call_ids: [id], include_raw_data_rows: true, resolve_row_refs: true };
      await other.exportResults(PROJECT, request, { format: "jsonl", path: file });
      const { notes } = await importFile(engine, file);
      expect(await answersAbout(own.id)).toBe(before);
      expect(notes.join()).toMatch(
        /expected: 1 of 1 rows keep what is stored: row .* has "B" here and "A" there/,
      );
      expect(await detailsOf(id)).toEqual([{ row: { expected: "B", level: 9 } }]);
    } finally {
      await other.close();
    }
  });
});
