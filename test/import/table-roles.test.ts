import { describe, expect, it } from "vitest";
import { answerOf, importBytes } from "./imports.ts";
import { sharedEngine } from "./shared.ts";

const engine = await sharedEngine();

type Members = Readonly<Record<string, unknown>>;

/** What a dry run makes of some records. */
async function guessed(records: readonly Members[], table = {}) {
  const text = records.map((one) => JSON.stringify(one)).join("\n");
  const result = await importBytes(engine, text, { dryRun: true, table }, "t.jsonl");
  return { scorers: result.evaluations[0]?.scorers, notes: result.notes.join("\n"), mapping: result.mapping };
}

const two = (first: Members, second: Members = first): Members[] => [
  { id: "a", model: "m", ...first },
  { id: "b", model: "m", ...second },
];

const counted = (id: number, passed_tests: number, success: number) => ({
  id,
  passed_tests,
  total_tests: 10,
  "pass@1": 50 * id,
  success,
});

describe("the scores of a table", () => {
  it.each([
    ["faithfulness", "answer_relevancy", "context_precision", "ndcg@10", "isCorrect", "judgeScore", "pass@1"],
    ["Hit", "MRR", "toxicity", "win", "rouge-L", "EM", "f1", "llm_coherence", "total_correctness_grade"],
  ])("are known by names such as %s, %s, %s", async (...names) => {
    const known = names.filter((name) => !name.startsWith("total"));
    const { scorers } = await guessed(two(Object.fromEntries(known.map((name) => [name, 0.5]))));
    expect(scorers).toEqual(known);
  });

  it("are booleans, and no number without evidence", async () => {
    const numbers = { answer_index: 3, doc_count: 4, score_threshold: 0.5, judge_tokens: 9, f1_ms: 2 };
    const others = {
      turn: 1,
      line_number: 7,
      total_score: 2,
      judge_latency: 3,
      price: 1,
      length: 4,
      weight: 2,
      num_correct: 3,
      max_score: 5,
      "acc_stderr,none": 0.1,
    };
    const { scorers, notes } = await guessed(two({ grounded: true, ...numbers, ...others, temperature: 1 }));
    expect(scorers).toEqual(["grounded"]);
    expect(notes).toContain("answer_index, doc_count");
  });

  it("are whether an answer is right, but not the answer", async () => {
    const { scorers } = await guessed(two({ isCorrectAnswer: true, correct_label: "b", GPTScore: 0.5 }));
    expect(scorers).toEqual(["isCorrectAnswer", "GPTScore"]);
  });

  it("are no counts of what passed", async () => {
    const { mapping } = await guessed([counted(1, 3, 1), counted(2, 10, 0)]);
    expect(mapping?.score).toEqual(["pass@1", "success"]);
  });

  it("are asked for where there are none, with the numbers that there are and both ways out", async () => {
    const refused = guessed(two({ pred: "x", answer: "y", answer_index: 3, doc_count: 4 }));
    await expect(refused).rejects.toThrow(
      "no column is a score: name one with --score-column (answer_index, doc_count are numbers), or make one of two columns: --match pred=answer",
    );
    await expect(refused).rejects.toMatchObject({ code: "ambiguous_mapping" });
    const { scorers } = await guessed(two({ weight: 3 }), { score: "weight" });
    expect(scorers).toEqual(["weight"]);
  });

  it("are the equality of two columns where that is asked for", async () => {
    const records = [
      { id: 1, pred: " Paris ", answer: "Paris" },
      { id: 2, pred: "Rome", answer: "Paris" },
      { id: 3, pred: "", answer: "Paris" },
    ];
    const text = records.map((one) => JSON.stringify(one)).join("\n");
    const table = { match: "pred=answer", modelName: "m", taskName: "match" };
    const result = await importBytes(engine, text, { table });
    expect(result.evaluations).toMatchObject([{ scorers: ["match"], trials: 3 }]);
    expect(result.notes[0]).toContain("match = pred equals answer (boolean)");
    expect(result.notes[0]).toContain("--match pred=answer");
    const { summary } = await answerOf(engine, result.evaluations[0]?.evaluation_call_id ?? "");
    expect(summary?.evaluations[0]?.scorer_stats).toMatchObject([
      { scorer_key: "match", pass_rate: 0.5, pass_known_count: 2, pass_true_count: 1 },
    ]);
    const again = await importBytes(engine, text, { dryRun: true, table: { ...result.mapping } });
    expect(again.evaluations[0]?.scorers).toEqual(["match"]);
    for (const match of ["pred", "=answer", "pred=nothing"])
      await expect(importBytes(engine, text, { table: { match } })).rejects.toThrow(
        /--match|there is no column/,
      );
  });

  it("have no setting among them; records that differ in one are an evaluation for each", async () => {
    const records = ["q", "r"].flatMap((query) =>
      [1, 3, 5].map((k) => ({ query, k, hit: k > 1, temperature: 0 })),
    );
    const { scorers, notes } = await guessed(records);
    expect(scorers).toEqual(["hit"]);
    expect(notes).toContain("evaluation = k (1, 3, 5)");
    expect(notes).not.toContain("evaluation = temperature");
    for (const name of ["topK", "num_shots", "chunk_size", "maxNewTokens"]) {
      const others = await guessed(records.map(({ k, ...one }) => ({ ...one, [name]: k })));
      expect(others.notes).toContain(`evaluation = ${name} (1, 3, 5)`);
    }
    const split = await guessed(records, { evaluation: "k" });
    expect(split.notes).toContain("evaluation = k,");
    const models = await guessed(records.map((one) => ({ ...one, model: `m${one.k}` })));
    expect(models.notes).not.toContain("evaluation = k");
    const seeds = await guessed([1, 2].map((seed) => ({ query: "q", seed, hit: true })));
    expect(seeds.mapping).toMatchObject({ trial: "seed" });
  });
});

describe("the model in a table", () => {
  it.each([
    [{ model: { name: "gpt-4o", provider: "openai" } }, "gpt-4o"],
    [{ model: { id: "gpt-4o", temperature: 0 } }, "gpt-4o"],
    [{ model: { path: "/x", layers: 4 } }, "unknown"],
    [{ model: { name: 7, id: "x" } }, "unknown"],
    [{ model: ["gpt-4o"] }, "unknown"],
    [{ model: "m", evaluation: { score: 1 } }, "m"],
  ])("is the name in an object where that is evident: %j", async (cells, model) => {
    const records = ["a", "b"].map((id) => ({ id, score: 1, ...cells }));
    const lines = records.map((one) => JSON.stringify(one)).join("\n");
    const beside = JSON.stringify({
      model: cells.model,
      results: records.map(({ id, score }) => ({ id, score })),
    });
    for (const text of [lines, ...(Array.isArray(cells.model) ? [] : [beside])]) {
      const { evaluations } = await importBytes(engine, text, { dryRun: true });
      expect(evaluations).toMatchObject([{ model, label: null, trials: 2 }]);
    }
  });

  it("is told where objects of one name differ", async () => {
    const records = [0, 1].map((temperature) => ({ id: 1, score: 1, model: { name: "m", temperature } }));
    expect((await guessed(records)).notes).toContain("objects of one name differ, and count as one model: m");
  });
});

describe("the answer in a table", () => {
  it.each([
    [{ pred: "x", answer: "y" }, "pred", "answer"],
    [{ answer: "y", prediction: "x" }, "prediction", "answer"],
    [{ answer: "x", correct_answer: "y" }, "answer", "correct_answer"],
    [{ answer: "x" }, "answer", undefined],
    [{ model_output: "x", answer: "z", ground_truth: "y" }, "model_output", "ground_truth"],
    [{ actualOutput: "x", expectedOutput: "y" }, "actualOutput", "expectedOutput"],
    [{ answer: "y", generated_answer: "x" }, "generated_answer", "answer"],
    [{ answer: "y", llmResponse: "x" }, "llmResponse", "answer"],
    [{ answer: "y", predicted_label: "x" }, "predicted_label", "answer"],
    [{ answer: "x", gold_answer: "y" }, "answer", "gold_answer"],
    [{ output: "x", target_output: "y" }, "output", "target_output"],
    [{ response: "x", referenceAnswer: "y" }, "response", "referenceAnswer"],
  ])("is the predicted one: %j", async (cells, output, expected) => {
    const { mapping } = await guessed(two({ ...cells, score: 1 }));
    expect(mapping?.output).toEqual([output]);
    expect(mapping?.expected).toEqual(expected === undefined ? undefined : [expected]);
  });

  it.each([
    [{ pred: "A", correct: "A", score: 1 }, "correct"],
    [{ response: "Paris", is_correct: "Paris", score: 1 }, "is_correct"],
    [{ pred: "A", correct: "A", answer: "A", score: 1 }, "answer"],
    [{ pred: "A", correct: "right", score: 1 }, undefined],
  ])("is the right one where a column named so holds no verdicts: %j", async (cells, expected) => {
    const { mapping, scorers } = await guessed(two(cells));
    expect(mapping?.expected).toEqual(expected === undefined ? undefined : [expected]);
    expect(scorers).toEqual(expected === undefined ? ["correct", "score"] : ["score"]);
  });

  it("is what decides where there is no verdict beside it", async () => {
    await expect(guessed(two({ pred: "A", correct: "B" }))).rejects.toThrow("--match pred=correct");
  });

  it("is no score, though it is a number", async () => {
    const { scorers } = await guessed(
      two({ pred: 4, target: 5, correct_answer: 3, correct_option: 2, score: 1 }),
    );
    expect(scorers).toEqual(["score"]);
  });
});

const keyed = (...keys: readonly string[]) => keys.map((key) => ({ sample_key: key, input: key, score: 1 }));

const asked = (id: number | string, question: string) => ({ id, question, score: 1 });

describe("the rows of a table", () => {
  it.each(["case_id", "qid", "query_id", "problem_id", "uid"])("are known by %s", async (name) => {
    const { mapping } = await guessed([
      { [name]: "a", score: 1 },
      { [name]: "b", score: 1 },
    ]);
    expect(mapping?.row).toEqual([name]);
  });

  it("are told where one of them holds several things", async () => {
    const told =
      '1 id is that of two questions, which are two rows: row 1 asks "b" here and "a" there; --row-column id';
    const typed =
      "id: some values are a number in one record and its text in another; such records count as one row";
    expect((await guessed([asked(1, "a"), asked(1, "b")])).notes).toContain(told);
    expect((await guessed([asked(1, "a"), asked("1", "a")])).notes).toContain(typed);
    const same = await guessed([asked(1, "a"), asked(1, "a"), asked("2", "b")]);
    expect(same.notes).not.toMatch(/several|differ|two questions|some values/);
  });

  it("are known by a key or the name of a task where each record has its own", async () => {
    expect((await guessed(keyed("a", "b"))).mapping).toMatchObject({ row: ["sample_key"] });
    expect((await guessed(keyed("a", "a"))).mapping).not.toHaveProperty("row");
    const models = ["m1", "m2"].flatMap((model) => keyed("a", "b").map((one) => ({ ...one, model })));
    expect((await guessed(models)).mapping).toMatchObject({ row: ["sample_key"] });
    const named = [
      { task_name: "fix-git", score: 1 },
      { task_name: "build-c", score: 0 },
    ];
    expect((await guessed(named)).mapping).toMatchObject({ row: ["task_name"] });
    const gold = [{ question: "q", answer_key: "a", pred: "x", score: 1 }];
    expect((await guessed(gold)).mapping).toMatchObject({ expected: ["answer_key"] });
  });
});
