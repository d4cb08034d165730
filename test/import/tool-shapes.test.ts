import { describe, expect, it } from "vitest";
import type { TableMapping } from "../../src/index.ts";
import { answerOf, importBytes } from "./imports.ts";
import { sharedEngine } from "./shared.ts";

const engine = await sharedEngine();
let tables = 0;

const byText = (a: unknown, b: unknown) => (JSON.stringify(a) ?? "").localeCompare(JSON.stringify(b) ?? "");
const lines = (records: readonly object[]) => records.map((one) => JSON.stringify(one)).join("\n");
const of = (count: number, make: (i: number) => object) => Array.from({ length: count }, (_, i) => make(i));

/** What an import makes of a text: roles, names, rows, and each score with its rate or mean. */
async function read(text: string | object, table: TableMapping = {}) {
  const bytes = typeof text === "string" ? text : JSON.stringify(text);
  const options = { table: { evaluationName: `e${tables++}`, ...table } };
  const result = await importBytes(engine, bytes, options, "t");
  const { summary, rows } = await answerOf(engine, result.evaluations[0]?.evaluation_call_id ?? "");
  const stats = summary?.evaluations[0]?.scorer_stats ?? [];
  const scores = stats.map((one) => [
    [one.scorer_key, one.path].filter((part) => part !== null).join("."),
    one.pass_rate ?? one.numeric_mean,
  ]);
  const values = rows.map(
    ({ raw_data_row: row }) => row as { row?: string; input?: unknown; expected?: unknown },
  );
  return {
    ...result,
    scores: Object.fromEntries(scores) as object,
    rows: values.map(({ row, input }) => row ?? input).toSorted(byText),
    expected: values.map((one) => one.expected).toSorted(byText),
    trials: rows.flatMap((row) => row.evaluations.flatMap((one) => one.trials)),
  };
}

const scored = (i: number) => [
  { name: "exact", value: i, dataType: "BOOLEAN", comment: "c" },
  { name: "tone", value: 0, stringValue: "calm", dataType: "CATEGORICAL" },
];

const whole = (name: string, value: unknown) => ({ [name]: { name, value, reason: "since" } });

describe("items of an experiment", () => {
  it.each([
    [
      "Langfuse, a result",
      {
        itemResults: of(2, (i) => ({
          item: { id: `i${i}` },
          output: "o",
          evaluations: scored(i),
          traceId: `t${i}`,
        })),
      },
    ],
    [
      "Langfuse, lines",
      lines(of(2, (i) => ({ id: `x${i}`, experimentItemId: `i${i}`, input: "q", scores: scored(i) }))),
    ],
    [
      "Langfuse, a page",
      {
        data: of(2, (i) => ({ id: `x${i}`, datasetItemId: `i${i}`, scores: scored(i) })),
        meta: { page: 1 },
      },
    ],
    [
      "Opik",
      {
        content: of(2, (i) => ({
          id: `x${i}`,
          dataset_item_id: `i${i}`,
          input: { question: "q" },
          feedback_scores: [
            { name: "exact", value: i, dataType: "BOOLEAN", source: "sdk" },
            { name: "tone", value: "calm", source: "sdk" },
          ],
        })),
      },
    ],
  ])("of %s share the rows of the dataset, and have scores by name", async (_, text) => {
    const { rows, scores } = await read(text);
    expect(rows).toEqual(["i0", "i1"]);
    expect(scores).toEqual({ exact: 0.5, tone: null });
  });

  it("of Opik as CSV have the names of scores without the container", async () => {
    const header =
      "dataset_item_id,input,feedback_scores.Hallucination,feedback_scores.Answer Relevance,feedback_scores.Hallucination.reason";
    const text = [header, "a,q,0,0.5,since", "b,q,1,1,so"].join("\n");
    const { rows, scores } = await read(text);
    expect(rows).toEqual(["a", "b"]);
    expect(scores).toEqual({ Hallucination: 0.5, "Answer Relevance": 0.75 });
    expect((await read(text, { score: "feedback_scores.*" })).scores).toMatchObject({
      "feedback_scores.Hallucination": 0.5,
    });
  });

  it("of Pydantic Evals have failures as trials in error, whose ids of traces are not the rows", async () => {
    const {
      rows,
      scores,
      evaluations: found,
    } = await read({
      name: "capitals",
      cases: of(2, (i) => ({
        name: `c${i}`,
        inputs: `q${i}`,
        expected_output: "e",
        output: "o",
        scores: whole("overlap", 0.5),
        labels: whole("kind", "short"),
        assertions: whole("is_text", i === 0),
        trace_id: `t${i}`,
      })),
      failures: [{ name: "c2", inputs: "q2", error_message: "ValueError: no", error_stacktrace: "…" }],
    });
    expect(rows).toEqual(["q0", "q1", "q2"]);
    expect(found).toMatchObject([{ trials: 3, errors: 1 }]);
    expect(scores).toMatchObject({ "overlap.value": 0.5, "is_text.value": 0.5, "kind.value": null });
  });

  it("of MLflow have expectations as the expected answer and never as a score", async () => {
    const assessed = lines(
      of(2, (i) => ({
        trace_id: `t${i}`,
        assessments: [
          { assessment_name: "correct", feedback: { value: i === 0 ? "yes" : "no" }, rationale: "r" },
          { assessment_name: "expected_response", expectation: { value: `e${i}` } },
        ],
      })),
    );
    const stated = lines(
      of(2, (i) => ({ id: i, expectations: { value: 3, why: "x" }, expected_score: 1, correct: i === 0 })),
    );
    for (const [text, expected] of [
      [assessed, ["e0", "e1"]],
      [
        stated,
        [
          { value: 3, why: "x" },
          { value: 3, why: "x" },
        ],
      ],
    ] as const) {
      const one = await read(text);
      expect(one.scores).toEqual({ correct: 0.5 });
      expect(one.expected).toEqual(expected);
    }
  });
});

describe("scores inside of objects", () => {
  it.each([
    [
      "a judge in a container of an evaluation's name",
      { evaluation: { help: { score: 3, why: "x" }, safe: true } },
      { "help.score": 3, "help.why": null, safe: 1 },
    ],
    ["a container in an object", { result: { scores: { acc: 0.5, item_id: 7 } } }, { acc: 0.5 }],
    [
      "a container in a column that may name an evaluation",
      { evaluation: { scores: { acc: 0.5 } } },
      { acc: 0.5 },
    ],
    [
      "a judge in an object",
      { result: { judge: { score: 0.5, why: "x" } } },
      { "result.judge.score": 0.5, "result.judge.why": null },
    ],
  ])("are found: %s", async (_, members, right) => {
    expect((await read(lines(of(2, (id) => ({ id, ...members }))))).scores).toEqual(right);
  });

  it("have a judge whose model is not the model", async () => {
    const judge = { score: 1, reason: "r", model: "gpt" };
    const { evaluations } = await read(lines(of(2, (id) => ({ id, judge }))));
    expect(evaluations).toMatchObject([{ model: "unknown" }]);
  });

  it("are taken by a pattern, also at any depth and where no name says that they are scores", async () => {
    const text = lines(of(2, (id) => ({ id, stats: { a: { depth: id }, b: 0.5 }, other: { c: 1 } })));
    expect((await read(text, { score: "stats.*" })).scores).toEqual({ "stats.a.depth": 0.5, "stats.b": 0.5 });
  });

  it("keep the container in columns that would have one name", async () => {
    const { scores } = await read(
      "id,scores.accuracy,scores.f1,metrics.accuracy\n1,1,0.5,0.25\n2,0,0.5,0.25\n",
    );
    expect(scores).toEqual({ "scores.accuracy": 0.5, f1: 0.5, "metrics.accuracy": 0.25 });
  });
});

describe("ids that name no row", () => {
  it.each([
    [
      "each record has its own and another id repeats",
      "trace_id,id,model,correct\na,1,m,1\nb,1,n,0\nc,2,m,1\nd,2,n,1\n",
      ["1", "2"],
    ],
    [
      "each has its own and a weak one repeats",
      "record_id,ticket_id,variant,score\n1,a,x,1\n2,a,y,0\n3,b,x,1\n4,b,y,1\n",
      ["a", "b"],
    ],
    ["a record has none", "trace_id,question,score\na,q0,1\n,q1,0\n", ["q0", "q1"]],
  ])("are those of which %s", async (_, text, rows) => {
    expect((await read(text)).rows).toEqual(rows);
  });

  it.each(["scenario_id", "clause_id", "record_id", "trace_id", "ticket_id"])(
    "are not %s alone",
    async (id) => {
      const { rows, trials } = await read(
        `${id},final_answer,correct,total_cost_usd\na,x,true,0.5\nb,y,false,0.25\n`,
      );
      expect(rows).toEqual(["a", "b"]);
      expect(trials.map((one) => one.model_output).toSorted(byText)).toEqual(["x", "y"]);
    },
  );
});

const test = (fullName: string, status: string, evals?: object) => ({
  fullName,
  status,
  duration: 1500,
  failureMessages: ["AssertionError: no"],
  meta: evals === undefined ? {} : { eval: evals },
});

const vitest = (...tests: readonly object[]) => ({
  numTotalTests: tests.length,
  testResults: [{ name: "/w/qa.eval.ts", assertionResults: tests }],
});

const simulation = (task: string, trial: number, reward: number | null) => ({
  task_id: task,
  trial,
  seed: 7 * trial,
  duration: 2,
  agent_cost: 0.5,
  termination_reason: reward === null ? "agent_error" : "user_stop",
  reward_info: reward === null ? null : { reward, db_check: { db_match: true } },
  messages: [{ role: "user", content: `hi ${trial}` }],
});

const result = (task: string, isResolved: boolean | null) => ({
  task_id: task,
  is_resolved: isResolved,
  failure_mode: isResolved === null ? "agent_timeout" : "unset",
  parser_results: isResolved === null ? null : { test_a: "passed", test_b: "failed" },
});

describe("reports of tools", () => {
  it("of Vitest have the tests with scores as trials", async () => {
    const { rows, scores, evaluations, notes, trials } = await read(
      vitest(
        test("qa one", "passed", { input: "q1", output: "o", scores: [{ name: "Exact", score: 1 }] }),
        test("qa two", "failed", { scores: [{ name: "Exact", score: 0.5 }] }),
        test("qa three", "failed", { input: "q3", scores: [] }),
        test("qa four", "skipped", { input: "q4", scores: [] }),
        test("plain", "failed"),
      ),
    );
    expect(rows).toEqual(["q1", "q3", "qa two"]);
    expect(evaluations).toMatchObject([{ trials: 3, errors: 1 }]);
    expect(scores).toEqual({ pass: 0.5, Exact: 0.75 });
    expect(trials[0]?.model_latency_seconds).toBe(1.5);
    expect(notes).toContain("2 of 5 tests have no scores or did not run; they are left out");
    await expect(read(vitest(test("plain", "passed")))).rejects.toThrow("1 of 1 tests have no scores");
  });

  it("of tau2-bench have a row a task, and the transcript with the trial", async () => {
    const { rows, scores, evaluations } = await read({
      info: { agent_info: { llm: "gpt-4.1" }, user_info: { llm: "other" } },
      tasks: [{ id: "a" }, { id: "b" }],
      simulations: [
        simulation("a", 0, 1),
        simulation("a", 1, 0),
        simulation("b", 0, 1),
        simulation("b", 1, null),
      ],
    });
    expect(rows).toHaveLength(2);
    expect(evaluations).toMatchObject([{ model: "gpt-4.1", trials: 4, errors: 0 }]);
    expect(scores).toEqual({ reward: expect.closeTo(2 / 3) as number });
  });

  it("of Terminal-Bench have one score, whatever their tests say", async () => {
    const { scores, checks } = await read({
      results: [result("a", true), result("b", false), result("c", null), result("d", null)],
      accuracy: 0.25,
      n_resolved: 1,
    });
    expect(scores).toEqual({ is_resolved: 0.5 });
    expect(checks).toEqual({ agree: 2, differ: [], unchecked: [] });
  });
});

describe("records deeper in a document", () => {
  it("are found where no list above holds any", async () => {
    const records = of(2, (i) => ({ id: i, correct: i === 0 }));
    const { scores } = await read({ run: { data: { records }, tags: [{ name: "x" }] } });
    expect(scores).toEqual({ correct: 0.5 });
  });
});
