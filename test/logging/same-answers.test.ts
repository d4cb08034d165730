import { afterAll, beforeAll, expect, it } from "vitest";
import { openEngine, type Engine, type EvalResultsRequest } from "../../src/index.ts";
import { writeJson } from "../../src/model/json.ts";
import { PROJECT } from "../support/records.ts";
import { recordsOf } from "./reading.ts";

let logged: Engine;
let loaded: Engine;

/** Two evaluations with errors, failed scorers, late scores, long integers and several spellings of a row. */
async function logEvaluations(engine: Engine): Promise<void> {
  for (const id of ["first", "second"]) {
    await engine.evaluate(PROJECT, {
      name: `the ${id}`,
      id,
      model: `bot:${id}`,
      dataset: "questions:v1",
      attributes: { seed: 2n ** 60n },
      data: Array.from({ length: 30 }, (_, n) =>
        n % 5 === 0 ? { n, big: 2n ** 80n } : { text: `é ${n}`, n },
      ),
      task: async ({ n }, { trial, usage }) => {
        if ((n + trial) % 11 === 3) throw new Error("no answer");
        usage({ big: { total_tokens: n * 10 + trial } });
        await Promise.resolve();
        return { label: n % 3 === 0 ? "yes" : "no", n };
      },
      scorers: {
        correct: ({ row, output }) => (row.n + output.n + id.length) % 3 !== 0,
        judge: ({ row, trial }) => ({ helpful: row.n / 7 + trial + id.length, tone: "kind", none: null }),
        flaky: ({ row }) => {
          if (row.n % 4 === 0) throw new Error("asleep");
          return row.n;
        },
      },
      trials: 3,
      maxConcurrency: 7,
    });
  }
  const run = engine.startEvaluation<string, unknown>(PROJECT, {
    name: "by hand",
    id: "third",
    model: "bot",
  });
  const late: string[] = [];
  for (const row of ["a", `svc:///acme/qa/object/set:v1/attr/rows/id/${"d".repeat(43)}`]) {
    const prediction = run.startPrediction(row);
    late.push(prediction.id);
    prediction.output(null);
    void prediction.finish();
  }
  run.startPrediction("open").output("half");
  await run.flush();
  for (const id of late) await engine.logScore(PROJECT, id, "late", { value: 0.25 });
}

beforeAll(async () => {
  logged = await openEngine();
  loaded = await openEngine();
  await logEvaluations(logged);
  for (const id of ["third", "first", "second"])
    await loaded.ingestCalls((await recordsOf(logged, id)).toReversed());
});
afterAll(async () => {
  await logged.close();
  await loaded.close();
});

const ALL = { evaluation_call_ids: ["first", "second", "third"] };

it.each<[string, EvalResultsRequest]>([
  ["a page", { ...ALL, include_raw_data_rows: true, resolve_row_refs: true }],
  ["a later page, sorted", { ...ALL, limit: 7, offset: 5, sort_by: [{ field: "scores.judge.helpful" }] }],
  ["rows that all have", { evaluation_call_ids: ["first", "second"], require_intersection: true }],
  [
    "a filter",
    {
      ...ALL,
      filters: [{ query: { $expr: { $eq: [{ $getField: "outputs.label" }, { $literal: "yes" }] } } }],
    },
  ],
  [
    "a summary with uncertainty",
    { ...ALL, include_rows: false, include_summary: true, include_uncertainty: true, pass_k: [1, 3] },
  ],
  ["trials without their children", { ...ALL, include_predict_and_score_children: false }],
])("records of logged evaluations, loaded elsewhere, give the same bytes: %s", async (_name, request) => {
  const text = await logged.queryEvalResultsJson(PROJECT, request);
  expect(await loaded.queryEvalResultsJson(PROJECT, request)).toBe(text);
  expect(text.length).toBeGreaterThan(200);
});

it("so do comparisons, tables, agreement and the list of evaluations", async () => {
  const compare = { baseline: "first", candidates: ["second"], scorers: ["correct", "judge"] };
  const agreement = { evaluations: ["first", "second"], a: "correct", b: "judge.helpful" };
  const answers = [logged, loaded].map(async (engine) => {
    const table = await engine.queryTable(PROJECT, ALL);
    return [
      JSON.stringify(await engine.compareEvaluations(PROJECT, compare)),
      JSON.stringify(await engine.agreement(PROJECT, agreement)),
      writeJson(await engine.listEvaluations(PROJECT)),
      writeJson(Array.from(table, (row) => Object.entries(row.toJSON()).map(([, value]) => String(value)))),
    ];
  });
  const [own, other] = await Promise.all(answers);
  expect(other).toEqual(own);
});
