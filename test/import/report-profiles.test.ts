import { describe, expect, it } from "vitest";
import { answerOf, importBytes, PROJECT } from "./imports.ts";
import { sharedEngine } from "./shared.ts";

const engine = await sharedEngine();

/** The trials of an evaluation by their rows: scores, and whether each failed. */
async function trialsOf(id: string | undefined) {
  const { rows } = await answerOf(engine, id ?? "");
  return rows.map((row) => row.evaluations[0]?.trials.map(({ scores }) => scores));
}

const item = (i: number, score: number | null) => ({
  object: "eval.run.output_item",
  id: `item_${i}`,
  created_at: 1_772_600_000 + i,
  run_id: "run_1",
  eval_id: "eval_1",
  datasource_item: { question: `q${i}` },
  results:
    score === null
      ? []
      : [
          { name: "exact", passed: score > 0.5, score },
          { name: "polite", passed: true },
        ],
  sample: {
    model: "gpt-4o-mini",
    output: [
      { role: "assistant", content: "first" },
      { role: "assistant", content: `a${i}` },
    ],
    error: score === null ? { code: "rate_limit", message: "slow down" } : null,
    usage: { total_tokens: 7 },
  },
});
const items = [item(0, 1), item(1, 0.25), item(2, null)];

const azureRow = (i: number, answer: object) => ({
  "inputs.query": `q${i}`,
  "inputs.ground_truth": `g${i}`,
  ...answer,
  "outputs.relevance.relevance": 4 + i,
  "outputs.relevance.relevance_reason": "because",
  "outputs.relevance.relevance_threshold": 3,
  "outputs.f1_score.f1_score": 0.5,
  line_number: i,
});

const sample = (base: string | null, plus: string | null) => ({
  solution: "def f(): ...",
  base_status: base,
  plus_status: plus,
});

const line = (question_id: number, turn: number, score: number) =>
  JSON.stringify({
    question_id,
    model: "m",
    judge: ["gpt-4", "single-v1"],
    judgment: "…",
    score,
    turn,
    tstamp: 1_772_600_000,
  });

describe("output items of the Evals API of OpenAI", () => {
  it.each([
    ["lines", items.map((one) => JSON.stringify(one)).join("\n")],
    ["a list", JSON.stringify(items, null, 1)],
    ["a page", JSON.stringify({ object: "list", data: items, has_more: false })],
  ])("as %s are an evaluation with a trial an item", async (_, text) => {
    const { evaluations } = await importBytes(engine, text);
    expect(evaluations).toMatchObject([
      {
        task: "eval_1",
        model: "gpt-4o-mini",
        label: "run_1",
        trials: 3,
        rows: 3,
        errors: 1,
        scorers: ["exact", "polite"],
      },
    ]);
    expect(await trialsOf(evaluations[0]?.evaluation_call_id)).toEqual(
      expect.arrayContaining([[{ exact: 1, polite: true }], [{ exact: 0.25, polite: true }]]),
    );
    const { rows } = await answerOf(engine, evaluations[0]?.evaluation_call_id ?? "");
    expect(rows.map((row) => row.evaluations[0]?.trials[0]?.total_tokens)).toEqual([7, 7, 7]);
  });
});

describe("rows of Azure AI Evaluation", () => {
  it.each([
    ["of a target", [azureRow(0, { "outputs.response": "r0" }), azureRow(1, { "outputs.response": "r1" })]],
    [
      "that were there before",
      [azureRow(0, { "inputs.response": "r0" }), azureRow(1, { "inputs.response": "r1" })],
    ],
  ])("have the metrics of evaluators as scores, and answers %s as outputs", async (name, rows) => {
    const { evaluations } = await importBytes(
      engine,
      rows.map((one) => JSON.stringify(one)).join("\n"),
      {},
      name,
    );
    expect(evaluations).toMatchObject([
      { trials: 2, rows: 2, scorers: ["relevance.relevance", "f1_score.f1_score"] },
    ]);
    const answer = await answerOf(engine, evaluations[0]?.evaluation_call_id ?? "");
    expect(JSON.stringify(answer.rows)).toContain('"r1"');
    expect(JSON.stringify(answer.rows.map((one) => one.raw_data_row))).not.toContain('"r1"');
  });
});

describe("reports that are one object", () => {
  it("of EvalPlus have a row a task, and a trial a sample", async () => {
    const log = {
      date: "2026-03-01 10:00",
      hash: "abc",
      eval: {
        "HumanEval/0": [sample("pass", "fail"), sample("timeout", null)],
        "HumanEval/1": [sample("pass", "pass")],
      },
    };
    const { evaluations } = await importBytes(engine, JSON.stringify(log), {}, "m_eval_results.json");
    expect(evaluations).toMatchObject([
      { task: "HumanEval", trials: 3, rows: 2, scorers: ["base_status", "plus_status"] },
    ]);
    expect(await trialsOf(evaluations[0]?.evaluation_call_id)).toEqual(
      expect.arrayContaining([
        [
          { base_status: true, plus_status: false },
          { base_status: false, plus_status: null },
        ],
        [{ base_status: true, plus_status: true }],
      ]),
    );
  });

  it("of SWE-bench have a trial an instance that ended; one that failed is an error", async () => {
    const report = {
      total_instances: 6,
      submitted_ids: ["a", "b", "c", "d", "e"],
      resolved_ids: ["a"],
      unresolved_ids: ["b"],
      empty_patch_ids: ["c"],
      error_ids: ["d"],
      incomplete_ids: ["f"],
    };
    const { evaluations, notes } = await importBytes(
      engine,
      JSON.stringify(report),
      {},
      "gpt-4.1.run-7.json",
    );
    expect(evaluations).toMatchObject([
      {
        task: "SWE-bench",
        model: "gpt-4.1",
        label: "run-7",
        trials: 4,
        rows: 4,
        errors: 1,
        scorers: ["resolved"],
      },
    ]);
    expect(notes).toContain("1 submitted instances never finished; they have no trials");
    const scores = (await trialsOf(evaluations[0]?.evaluation_call_id)).flat();
    expect(scores.filter((one) => one?.["resolved"] === true)).toHaveLength(1);
    expect(scores.filter((one) => one?.["resolved"] === false)).toHaveLength(2);
    for (const [resolved, agree] of [
      [1, 1],
      [2, 0],
    ]) {
      const counted = JSON.stringify({ ...report, error_ids: [], resolved_instances: resolved });
      const { checks } = await importBytes(engine, counted, { dryRun: true });
      expect([checks.agree, checks.differ.length]).toEqual([agree, 1 - (agree ?? 0)]);
    }
    const counts = { ...report, submitted_instances: 5, unresolved_instances: 2, error_instances: 1 };
    const { notes: told } = await importBytes(engine, JSON.stringify(counts), { dryRun: true });
    expect(told.filter((note) => note.startsWith("states"))).toEqual([
      "states unresolved_instances 2, and unresolved_ids has 1",
    ]);
    const wrong = importBytes(engine, JSON.stringify({ ...report, error_ids: 7 }));
    await expect(wrong).rejects.toThrow(/error_ids: is 7 where a list is needed/);
  });

  it("of MT-bench, line by line, take a score of -1 for none, and say so", async () => {
    const lines = [line(81, 1, 9), line(81, 2, -1), line(82, 1, 4)].join("\n");
    const { evaluations, notes } = await importBytes(engine, lines, {}, "gpt-4_single.jsonl");
    expect(evaluations).toMatchObject([
      { task: "MT-bench", model: "m", trials: 3, rows: 2, scorers: ["score"] },
    ]);
    expect(notes).toContain("1 judgments have a score of -1, which is no value");
    expect(await trialsOf(evaluations[0]?.evaluation_call_id)).toEqual(
      expect.arrayContaining([[{ score: 9 }, { score: null }], [{ score: 4 }]]),
    );
    expect((await engine.listEvaluations(PROJECT)).every((one) => one.status === "finished")).toBe(true);
  });
});
