import { describe, expect, it } from "vitest";
import { type ImportOptions } from "../../src/index.ts";
import { answerOf, importBytes, recordCount } from "./imports.ts";
import { sharedEngine } from "./shared.ts";

const engine = await sharedEngine();

type Members = Readonly<Record<string, unknown>>;

function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return `"${text.replaceAll('"', '""')}"`;
}

/** A list of objects as CSV; objects and lists in cells are JSON. */
function csv(records: readonly Members[]): string {
  const columns = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const lines = records.map((record) => columns.map((name) => cell(record[name])).join(","));
  return [columns.map((name) => `"${name}"`).join(","), ...lines, ""].join("\n");
}

const langsmithRecords = (run: string) => [
  {
    "input.question": "1+1",
    "outputs.answer": "two",
    "reference.answer": "two",
    "feedback.correct": 1,
    "feedback.tone": "good",
    execution_time: 1.5,
    error: null,
    id: `${run}-1`,
    reference_example_id: "e1",
  },
  {
    "input.question": "1+2",
    "outputs.answer": null,
    "reference.answer": "three",
    "feedback.correct": null,
    "feedback.tone": null,
    execution_time: 0.5,
    error: "TimeoutError()",
    id: `${run}-2`,
    reference_example_id: "e2",
  },
];

const span = (id: string, root: string, others: Members = {}) => ({
  id,
  span_id: id,
  root_span_id: root,
  is_root: id === root,
  experiment_id: "x1",
  dataset_record_id: "r1",
  created: "2026-01-01T00:00:00Z",
  input: { q: "1+1" },
  expected: "2",
  output: "2",
  error: null,
  scores: { Factuality: 0.5 },
  metrics: { start: 100, end: 102.5, tokens: 7 },
  ...others,
});

const phoenixRun = (id: string, example: string, repetition: number, others: Members = {}) => ({
  id,
  experiment_id: "e",
  dataset_example_id: example,
  repetition_number: repetition,
  start_time: `2026-01-01T00:00:0${repetition}+00:00`,
  end_time: `2026-01-01T00:00:0${repetition + 1}.5+00:00`,
  output: { text: id },
  error: null,
  ...others,
});

const judged = (id: string, name: string, result: unknown, error: string | null = null) => ({
  id: `${id}-${name}`,
  experiment_run_id: id,
  name,
  result,
  error,
});

const langfuseScore = (traceId: string, name: string, value: number | string, datasetItemId: string) => ({
  id: `${traceId}-${name}`,
  traceId,
  datasetItemId,
  name,
  value,
  dataType: typeof value === "number" ? "NUMERIC" : "CATEGORICAL",
});

/** Imports a table, and again: nothing changes. */
async function imported(text: string, model: string, others: Partial<ImportOptions> = {}) {
  const options = { table: { modelName: model, taskName: "quiz" }, ...others };
  const result = await importBytes(engine, text, options, "a.csv");
  const again = await importBytes(engine, text, options, "a.csv");
  expect([again.stored, again.unchanged]).toEqual([0, result.received]);
  const ids = result.evaluations.map((one) => one.evaluation_call_id);
  const { rows } = await answerOf(engine, ...ids);
  const trials = rows.flatMap((row) => row.evaluations.flatMap((one) => one.trials));
  return { result, ids, rows, trials };
}

async function sharedRows(...ids: readonly string[]): Promise<number> {
  const { rows } = await answerOf(engine, ...ids);
  return rows.filter((row) => row.evaluations.length === ids.length).length;
}

describe("a table of LangSmith", () => {
  it("has feedback as scores, and examples as rows that models share", async () => {
    const { result, ids, rows, trials } = await imported(csv(langsmithRecords("a")), "langsmith-1");
    expect(result.notes[0]).toContain("a.csv: a table of LangSmith; row = reference_example_id");
    expect(result.evaluations).toMatchObject([
      { rows: 2, trials: 2, errors: 1, scorers: ["correct", "tone"] },
    ]);
    expect(rows[0]?.raw_data_row).toMatchObject({ row: "e1", input: "1+1", expected: "two" });
    expect(trials).toMatchObject([
      { model_output: "two", scores: { correct: 1, tone: "good" }, model_latency_seconds: 1.5 },
      { scores: {} },
    ]);
    const other = await imported(JSON.stringify(langsmithRecords("b")), "langsmith-2");
    expect(await sharedRows(...ids, ...other.ids)).toBe(2);
  });

  it("takes flags by the names in the header", async () => {
    const table = { modelName: "langsmith-3", taskName: "quiz", score: "feedback.correct" };
    const { result } = await imported(csv(langsmithRecords("c")), "langsmith-3", { table });
    expect(result.evaluations).toMatchObject([{ scorers: ["correct"] }]);
  });
});

describe("a table of Braintrust", () => {
  const records = [
    span("a", "a"),
    span("a2", "a", { scores: null, input: "inner" }),
    span("b", "b", { dataset_record_id: "r2", scores: { Factuality: null, Exact: 1 }, error: "down" }),
    span("c", "c", { created: "2026-01-01T00:00:01Z" }),
  ];

  it.each([
    ["JSON", JSON.stringify(records)],
    [
      "NDJSON without is_root",
      records.map((one) => JSON.stringify({ ...one, is_root: undefined })).join("\n"),
    ],
    ["CSV", csv(records)],
  ])("in %s has a trial for each root span", async (shape, text) => {
    const { result, trials } = await imported(text, shape);
    expect(result.notes[0]).toContain("a table of Braintrust; row = dataset_record_id");
    expect(result.evaluations).toMatchObject([
      { label: "x1", rows: 2, trials: 3, errors: 1, scorers: ["Factuality", "Exact"] },
    ]);
    const scores = trials.map((trial) => trial.scores);
    expect(scores.filter((one) => one["Factuality"] === 0.5)).toHaveLength(2);
    expect(scores).toContainEqual({ Exact: 1 });
    expect(trials.map((trial) => trial.model_latency_seconds)).toEqual([2.5, 2.5, 2.5]);
    expect(trials[0]?.total_tokens).toBe(7);
  });
});

describe("a table of Ragas", () => {
  const records = [
    {
      "": 0,
      user_input: "q1",
      reference: "a",
      retrieved_contexts: ["c"],
      response: "x",
      faithfulness: 0.5,
      f1: 1,
    },
    {
      "": 1,
      user_input: "q2",
      reference: "b",
      retrieved_contexts: ["d"],
      response: "y",
      faithfulness: null,
      f1: 0,
    },
  ];

  it("has every number as a score but the index, and what was asked as row", async () => {
    const { result, ids, rows, trials } = await imported(csv(records), "ragas-1");
    expect(result.notes[0]).toContain("a table of Ragas; row = user_input, reference");
    expect(result.evaluations).toMatchObject([{ rows: 2, trials: 2, scorers: ["faithfulness", "f1"] }]);
    expect(trials.map((trial) => trial.scores)).toContainEqual({ faithfulness: null, f1: 0 });
    expect(JSON.stringify(rows[0]?.raw_data_row)).not.toContain("retrieved");
    const other = await imported(csv(records), "ragas-2");
    expect(await sharedRows(...ids, ...other.ids)).toBe(2);
  });
});

describe("a table of MLflow", () => {
  const columns = [
    "inputs",
    "targets",
    "outputs",
    "toxicity/v1/score",
    "toxicity/v1/justification",
    "exact/value",
  ];
  const data = [
    ["q1", "a", "x", 0.25, "mild", true],
    ["q2", "b", "y", null, null, false],
  ];

  it("has its metrics as scores by their short names, and justifications beside them", async () => {
    const { result, trials, rows } = await imported(JSON.stringify({ columns, data }), "mlflow-1");
    expect(result.notes[0]).toContain("a table of MLflow; row = inputs");
    expect(result.evaluations).toMatchObject([{ rows: 2, trials: 2, scorers: ["toxicity", "exact"] }]);
    expect(trials.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? 1 : -1))).toMatchObject([
      { scores: { toxicity: 0.25, exact: true }, model_output: "x" },
      { scores: { toxicity: null, exact: false } },
    ]);
    expect(JSON.stringify(rows.map((row) => row.raw_data_row))).not.toContain("mild");
  });
});

describe("an experiment of Phoenix", () => {
  const experiment = {
    task_runs: [
      phoenixRun("t2", "x1", 2),
      phoenixRun("t1", "x1", 1),
      phoenixRun("t3", "x2", 1, { error: "boom", output: null }),
    ],
    evaluation_runs: [
      judged("t1", "correct", { score: 1, label: "right", explanation: "same" }),
      judged("t2", "correct", { score: 0, label: "wrong" }),
      judged("t1", "tone", { label: "warm" }),
      judged("t2", "tone", null, "judge failed"),
    ],
  };

  it("joins runs with their evaluations", async () => {
    const { result, trials } = await imported(JSON.stringify(experiment), "phoenix-1");
    expect(result.notes[0]).toContain("a table of Phoenix; row = dataset_example_id");
    expect(result.evaluations).toMatchObject([
      { rows: 2, trials: 3, errors: 1, scorers: ["correct", "tone"] },
    ]);
    expect(trials.map((trial) => [trial.scores, trial.model_latency_seconds])).toEqual([
      [{ correct: 1, tone: "warm" }, 1.5],
      [{ correct: 0, tone: null }, 1.5],
      [{}, 1.5],
    ]);
  });

  it("that is cut stores nothing and says so", async () => {
    const before = await recordCount(engine);
    const cut = importBytes(engine, JSON.stringify(experiment).slice(0, -30));
    await expect(cut).rejects.toMatchObject({ name: "ImportError", source: "log" });
    expect(await recordCount(engine)).toBe(before);
  });
});

const said = (traceId: string, name: string, value: number | string, stringValue: string) => ({
  ...langfuseScore(traceId, name, value, traceId),
  stringValue,
});

describe("a table of scores of Langfuse", () => {
  const records = [
    langfuseScore("t1", "correct", 1, "i1"),
    langfuseScore("t2", "correct", 0, "i1"),
    langfuseScore("t1", "tone", "warm", "i1"),
    langfuseScore("t3", "correct", 0.5, "i2"),
  ];

  it("has one record a score, and a trial for each trace", async () => {
    const { result, trials } = await imported(csv(records), "langfuse-1");
    expect(result.notes[0]).toContain("a table of Langfuse; row = datasetItemId");
    expect(result.evaluations).toMatchObject([{ rows: 2, trials: 3, scorers: ["correct", "tone"] }]);
    expect(trials.map((trial) => trial.scores)).toContainEqual({ correct: 1, tone: "warm" });
    const alone = csv(records).replace("datasetItemId", "item");
    const { result: byTrace } = await imported(alone, "langfuse-2");
    expect(byTrace.evaluations).toMatchObject([{ rows: 3, trials: 3 }]);
  });

  it("takes what a score of categories or truth values says, and not the number that stands for it", async () => {
    const all = [
      said("t1", "tone", 0, "warm"),
      said("t2", "tone", "", "cold"),
      said("t1", "ok", 1, "True"),
      said("t2", "ok", 0, "False"),
      said("t1", "correct", 0.5, ""),
      said("t2", "correct", 1, ""),
    ];
    const { trials } = await imported(csv(all), "langfuse-3");
    expect(trials.map((trial) => trial.scores)).toEqual(
      expect.arrayContaining([
        { tone: "warm", ok: true, correct: 0.5 },
        { tone: "cold", ok: false, correct: 1 },
      ]),
    );
  });
});
