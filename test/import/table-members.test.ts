import { describe, expect, it } from "vitest";
import type { TableMapping } from "../../src/index.ts";
import { answerOf, importBytes, PROJECT } from "./imports.ts";
import { sharedEngine } from "./shared.ts";

const engine = await sharedEngine();
let tables = 0;

type Records = readonly Readonly<Record<string, unknown>>[];

const lines = (records: Records) => records.map((one) => JSON.stringify(one)).join("\n");

function cell(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value ?? "");
  return `"${text.replaceAll('"', '""')}"`;
}

/** The same records as CSV, in which objects are JSON. */
function csv(records: Records): string {
  const columns = Object.keys(records[0] ?? {});
  return [columns.join(","), ...records.map((one) => columns.map((name) => cell(one[name])).join(","))].join(
    "\n",
  );
}

/** Each score by its whole name with its rate or mean, of the first evaluation; and what is told. */
async function scoresOf(text: string, table: TableMapping = {}) {
  const options = { table: { taskName: `m${tables++}`, ...table } };
  const { evaluations, notes, mapping } = await importBytes(engine, text, options, "t");
  const { summary, rows } = await answerOf(engine, evaluations[0]?.evaluation_call_id ?? "");
  const stats = summary?.evaluations[0]?.scorer_stats ?? [];
  const named = stats.map((one) => [
    [one.scorer_key, one.path].filter((part) => part !== null).join("."),
    one.pass_rate ?? one.numeric_mean,
  ]);
  return { scores: Object.fromEntries(named) as object, notes: notes[0] ?? "", mapping, rows, evaluations };
}

const two = (of: (i: number) => object): Records =>
  [0, 1].map((i) => ({ id: i, question: `q${i}`, ...of(i) }));

describe("members of objects", () => {
  it.each([
    ["scores", { accuracy: 1, f1: 0.25 }, { accuracy: 1, f1: 0.25 }],
    ["metrics", { conciseness: 0.5, latency_ms: 7, item_id: 3 }, { conciseness: 0.5 }],
    ["assertions", { polite: true, cites: false }, { polite: 1, cites: 0 }],
    ["feedback", { helpful: 3, note: "fine" }, { helpful: 3 }],
    ["grades", { tone: "yes", style: "no" }, { tone: 1, style: 0 }],
    ["reward_info", { reward: 0.5, steps: 9 }, { "reward_info.reward": 0.5 }],
    ["judge", { score: 0.5, reason: "since" }, { "judge.score": 0.5, "judge.reason": null }],
    ["config", { cache: true, seed: 3 }, { correct: 1 }],
  ])("are scores in %s: %j", async (column, value, right) => {
    const other = column === "config" ? { correct: true } : {};
    for (const text of [
      lines(two(() => ({ ...other, [column]: value }))),
      csv(two(() => ({ ...other, [column]: value }))),
    ])
      expect((await scoresOf(text)).scores).toEqual(right);
  });

  it("are called with their container where two would have one name", async () => {
    const { scores } = await scoresOf(lines(two((i) => ({ accuracy: i, scores: { accuracy: 1 } }))));
    expect(scores).toEqual({ accuracy: 0.5, "scores.accuracy": 1 });
  });

  it("have roles that no column has", async () => {
    const records = [0, 1].map((i) => ({
      item: { input: `q${i}`, expected_output: "e" },
      info: { model: "small" },
      usage: { total_tokens: 7 },
      result: { reward: i },
    }));
    const { scores, evaluations, mapping } = await scoresOf(lines(records));
    expect(scores).toEqual({ "result.reward": 0.5 });
    expect(evaluations).toMatchObject([{ model: "small", rows: 2 }]);
    expect(mapping).toMatchObject({
      input: ["item.input"],
      expected: ["item.expected_output"],
      tokens: "usage.total_tokens",
    });
    const own = await scoresOf(lines(records.map((one) => ({ ...one, model: "large" }))));
    expect(own.evaluations).toMatchObject([{ model: "large" }]);
  });
});

describe("a path in a flag", () => {
  const records = two((i) => ({
    info: { task: { id: `x${i}`, kind: "k" }, "a.b": i },
    messages: [{ content: `hello ${i}` }],
    scores: { accuracy: i, f1: 0.5 },
  }));

  it("leads to members at any depth, and of lists", async () => {
    const table = { row: "info.task.id", input: "messages.0.content", score: String.raw`info.a\.b` };
    for (const text of [lines(records), csv(records)]) {
      const { scores, rows } = await scoresOf(text, table);
      expect(Object.values(scores)).toEqual([0.5]);
      const values = rows.map(({ raw_data_row: row }) => row as { row: string; input: string });
      expect(new Set(values.map(({ row, input }) => `${row} ${input}`))).toEqual(
        new Set(["x0 hello 0", "x1 hello 1"]),
      );
    }
  });

  it("takes one score, or those that fit a pattern, and leaves the others in details", async () => {
    const one = await scoresOf(lines(records), { score: "scores.accuracy" });
    expect(one.scores).toEqual({ accuracy: 0.5 });
    const kept = await engine.sql(PROJECT, "SELECT 1 FROM results WHERE details::VARCHAR LIKE '%\"f1\":%'");
    expect(kept.numRows).toBeGreaterThan(0);
    expect((await scoresOf(lines(records), { score: "scores.*" })).scores).toEqual({
      accuracy: 0.5,
      f1: 0.5,
    });
    expect((await scoresOf(lines(records), { score: "scores" })).scores).toEqual({ accuracy: 0.5, f1: 0.5 });
    const printed = (await scoresOf(lines(records), { score: "scores.accuracy" })).mapping ?? {};
    expect((await scoresOf(lines(records), printed)).scores).toEqual({ accuracy: 0.5 });
  });

  it("yields to a column of its name", async () => {
    const both = two(() => ({ "scores.f1": 0.25, scores: { f1: 1 } }));
    expect((await scoresOf(lines(both), { score: "scores.f1" })).scores).toEqual({ "scores.f1": 0.25 });
  });

  it("that leads nowhere is refused with what there is", async () => {
    const reason = "--row-column: no record has info.task.name; info.task has id, kind";
    for (const text of [lines(records), csv(records)])
      await expect(scoresOf(text, { row: "info.task.name" })).rejects.toThrow(reason);
    await expect(scoresOf(lines(records), { score: "messages" })).rejects.toThrow(
      "--score-column: messages holds lists or objects, and no score in them",
    );
  });
});

describe("lists of names and values", () => {
  it.each([
    [
      "evaluations",
      (i: number) => [{ name: "exact", value: i, dataType: "BOOLEAN", comment: "c" }],
      { exact: 0.5 },
    ],
    ["feedback_scores", (i: number) => [{ name: "tone", value: i, reason: null }], { tone: 0.5 }],
    [
      "assessments",
      (i: number) => [
        { assessment_name: "correctness", feedback: { value: i === 1 }, rationale: "r" },
        { assessment_name: "expected_response", expectation: { value: "e" } },
      ],
      { correctness: 0.5 },
    ],
    [
      "checks",
      (i: number) => [
        { key: "cites", passed: i === 1 },
        { key: "polite", passed: true },
      ],
      { cites: 0.5, polite: 1 },
    ],
    ["grading", () => [{ metric: "style", score: null, stringValue: "fine" }], { style: null }],
  ])("are scores in %s", async (column, of, right) => {
    const records = two((i) => ({ [column]: of(i) }));
    for (const text of [lines(records), csv(records)]) expect((await scoresOf(text)).scores).toEqual(right);
    const { mapping } = await scoresOf(lines(records));
    expect(mapping?.expected ?? []).toEqual(column === "assessments" ? ["expected_response"] : []);
  });

  it.each([
    ["evaluation", "scores"],
    ["result", "metrics"],
    ["outcome", "feedback_scores"],
  ])("are scores in %s.%s, whose comments stay", async (column, name) => {
    const records = two((i) => ({
      [column]: {
        [name]: [
          { name: "exact", value: i, comment: "since" },
          { name: "tone", value: 0.5 },
        ],
        by: "x",
      },
    }));
    for (const text of [lines(records), csv(records)]) {
      const { scores } = await scoresOf(text);
      expect(scores).toEqual({ exact: 0.5, tone: 0.5 });
      const kept = `SELECT 1 FROM results WHERE details::VARCHAR LIKE '%"${column}":%"since"%'`;
      expect((await engine.sql(PROJECT, kept)).numRows).toBeGreaterThan(0);
    }
  });

  it("of other things are none", async () => {
    const records = two((i) => ({
      correct: i === 1,
      tools: [{ name: "search", value: 3 }],
      params: [{ key: "k", value: 1 }],
      config: { scores: [{ name: "limit", value: 1 }] },
      output: { metrics: [{ name: "said", value: 1 }] },
    }));
    expect((await scoresOf(lines(records))).scores).toEqual({ correct: 0.5 });
  });
});

const result = (input: string, score: number | null, more: object = {}) => ({
  id: 1,
  duration: 50,
  input,
  output: "a",
  expected: "b",
  status: "success",
  averageScore: score,
  scores: score === null ? [] : [{ id: 1, name: "Exact", score, description: null }],
  ...more,
});

describe("reports of tools", () => {
  it("of Pydantic Evals have their cases, and failures in error", async () => {
    const cases = [0, 1].map((i) => ({
      name: `c${i}`,
      inputs: `q${i}`,
      output: "o",
      scores: { acc: { name: "acc", value: i, reason: null } },
      labels: { tone: { value: "warm", reason: "r" } },
      assertions: { ok: { value: true, reason: null } },
    }));
    const failures = [{ name: "c2", inputs: "q2", error_message: "boom" }];
    const { scores, evaluations } = await scoresOf(JSON.stringify({ name: "run", cases, failures }));
    expect(evaluations).toMatchObject([{ trials: 3, errors: 1, scorers: ["acc", "tone", "ok"] }]);
    expect(scores).toMatchObject({ "acc.value": 0.5, "ok.value": 1 });
  });

  it("of evalite have a task an eval, and no score of states and means", async () => {
    const evals = [
      {
        id: 1,
        name: "capitals",
        status: "success",
        averageScore: 0.75,
        results: [result("q0", 1), result("q1", 0.5)],
      },
      {
        id: 2,
        name: "sums",
        status: "fail",
        results: [result("1+1", null, { status: "fail" }), result("2+2", 1)],
      },
    ];
    const { evaluations, checks } = await importBytes(
      engine,
      JSON.stringify({ run: { id: 1 }, evals }),
      {},
      "r",
    );
    expect(evaluations).toMatchObject([
      { task: "capitals", trials: 2, rows: 2, errors: 0, scorers: ["Exact"] },
      { task: "sums", trials: 2, rows: 2, errors: 1, scorers: ["Exact"] },
    ]);
    expect(checks).toMatchObject({ agree: 1, differ: [] });
  });

  it("of tau2-bench have their reward and model", async () => {
    const simulations = [0, 1].map((i) => ({
      id: `s${i}`,
      task_id: i,
      trial: 0,
      reward_info: { reward: i },
    }));
    const { scores, evaluations } = await scoresOf(
      JSON.stringify({ info: { agent_info: { llm: "big" } }, simulations }),
    );
    expect(scores).toEqual({ reward: 0.5 });
    expect(evaluations).toMatchObject([{ model: "big", rows: 2 }]);
  });

  it("of MLflow have expectations as expected answers", async () => {
    const text =
      "trace_id,request,response,correctness/value,expected_response/value\na,q0,x,no,e0\nb,q1,y,yes,e1\n";
    const { scores, rows } = await scoresOf(text);
    expect(scores).toEqual({ correctness: 0.5 });
    const expected = rows.map(({ raw_data_row: row }) => (row as { expected?: unknown }).expected);
    expect(new Set(expected)).toEqual(new Set(["e0", "e1"]));
  });
});

describe("a hint", () => {
  it.each([
    ["question_id,model_a,model_b,winner\n1,x,y,model_a\n2,x,z,model_b\n"],
    ["id,question,answer,verdict\n1,q1,a,correct\n2,q2,b,incorrect\n3,q3,c,partially correct\n"],
    ["item_id,question,rater_1,rater_2\n1,q1,5,4\n2,q2,3,3\n"],
  ])("names no columns that are not there: %j", async (text) => {
    const message = await importBytes(engine, text).then(
      () => "",
      (error: unknown) => String(error),
    );
    expect(message).toContain("no column is a score");
    expect(message).not.toContain("--match");
  });

  it("offers to compare two columns that are there", async () => {
    const text = "id,pred,target,len\n1,a,b,3\n";
    await expect(importBytes(engine, text)).rejects.toThrow("--match pred=target");
  });
});

it("a URL is no file", async () => {
  const url = "https://example.com/results.json?x=1";
  await expect(engine.importEvaluations(url, { project: "a/b" })).rejects.toThrow(
    "is not a file: download it first",
  );
});
