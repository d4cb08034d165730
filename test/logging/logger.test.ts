import { afterAll, describe, expect, it } from "vitest";
import { EvalcubeError, openEngine, type CallRecord, type EvaluationLogger } from "../../src/index.ts";
import { PROJECT } from "../support/records.ts";
import { codeOf, trialsOf, recordsOf } from "./reading.ts";

const engine = await openEngine();
afterAll(() => engine.close());

function start(name: string): EvaluationLogger<unknown, unknown> {
  return engine.startEvaluation<unknown, unknown>(PROJECT, {
    name,
    model: "bot:v7",
    dataset: "questions:v2",
  });
}

describe("a logged evaluation", () => {
  it("is a root, and for each trial its call, a predict call and a call for each score", async () => {
    const run = start("nightly");
    const prediction = run.startPrediction({ question: "1 + 1" });
    prediction.output("2", { usage: { "gpt-x": { total_tokens: 12 } } });
    prediction.logScore("correct", true, { reason: "as in the book" });
    prediction.logScore("judge", { helpfulness: 0.9, tone: "kind" }, { usage: { big: { total_tokens: 3 } } });
    await prediction.finish();
    const ended = await run.finish({ summary: { cost: 0.5 } });
    expect(ended).toEqual({
      id: run.id,
      project_id: PROJECT,
      name: "nightly",
      trials: 1,
      errors: 0,
      scorer_errors: 0,
      skipped: 0,
      status: "finished",
    });
    const [root, trial, predict, correct, judge, ...others] = await recordsOf(engine, run.id);
    const model = "svc:///acme/qa/object/bot:v7";
    expect(others).toEqual([]);
    expect(root).toMatchObject({
      op_name: "Evaluation.evaluate",
      trace_id: run.id,
      display_name: "nightly",
      inputs: {
        self: "svc:///acme/qa/object/questions:v2",
        model,
        dataset: "svc:///acme/qa/object/questions:v2",
      },
      attributes: {},
      output: { trials: 1, errors: 0, cost: 0.5 },
    });
    expect(trial).toMatchObject({
      id: prediction.id,
      op_name: "Evaluation.predict_and_score",
      parent_id: run.id,
      inputs: { example: { question: "1 + 1" }, model },
      output: { output: "2", scores: { correct: true, judge: { helpfulness: 0.9, tone: "kind" } } },
      attributes: { trial_index: 0 },
    });
    expect(predict).toMatchObject({
      op_name: "Model.predict",
      parent_id: prediction.id,
      inputs: { self: model },
      output: "2",
      summary: { usage: { "gpt-x": { total_tokens: 12 } } },
    });
    expect(correct).toMatchObject({
      op_name: "correct.score",
      attributes: {
        svc: { score: true, scorer: "svc:///acme/qa/object/correct:latest" },
        reason: "as in the book",
      },
      output: true,
    });
    expect(judge).toMatchObject({
      op_name: "judge.score",
      output: { helpfulness: 0.9, tone: "kind" },
      summary: { usage: { big: { total_tokens: 3 } } },
    });
    for (const record of [root, trial, predict, correct, judge]) {
      expect(record?.ended_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      expect(String(record?.ended_at) >= String(record?.started_at)).toBe(true);
    }
    const [read] = await trialsOf(engine, run.id);
    expect(read).toMatchObject({ total_tokens: 12, predict_call_id: predict?.id });
    expect(read?.scorer_call_ids).toEqual({ correct: correct?.id, judge: judge?.id });
  });

  it("keeps an error with its name and its stack, without output and scores", async () => {
    const run = start("errors");
    const failed = run.startPrediction("row");
    failed.output("half");
    failed.logScore("correct", false);
    await failed.fail(new TypeError("no such tool"));
    const bare = run.startPrediction("row");
    await bare.fail("plain text");
    await run.logExample({ row: "row", output: "x", scores: { ok: 1 } });
    expect(await run.finish()).toMatchObject({ trials: 3, errors: 2, scorer_errors: 0 });
    const records = await recordsOf(engine, run.id);
    const calls = records.filter(({ exception }) => exception === "TypeError: no such tool");
    expect(calls.map(({ op_name }) => op_name)).toEqual(["Evaluation.predict_and_score", "Model.predict"]);
    expect(calls.map(({ output }) => output)).toEqual([undefined, undefined]);
    expect(JSON.stringify(calls[0]?.attributes)).toContain("logger.test.ts");
    expect(records.filter(({ exception }) => exception === "plain text")).toHaveLength(2);
    const { summary } = await engine.queryEvalResults(PROJECT, {
      evaluation_call_ids: [run.id],
      include_summary: true,
      include_uncertainty: true,
    });
    expect(summary?.evaluations[0]?.scorer_stats[0]).toMatchObject({ trial_count: 1, error_count: 2 });
  });

  it("keeps the other scores where one scorer failed", async () => {
    const run = start("scorer errors");
    const prediction = run.startPrediction(1);
    prediction.output("x");
    prediction.failScore("judge", new RangeError("out of tokens"));
    prediction.logScore("correct", null);
    await prediction.finish();
    expect(await run.finish()).toMatchObject({ trials: 1, errors: 0, scorer_errors: 1 });
    const [read] = await trialsOf(engine, run.id);
    expect(read?.scores).toEqual({ correct: null });
    const judge = (await recordsOf(engine, run.id)).find(({ op_name }) => op_name === "judge.score");
    expect(judge?.exception).toBe("RangeError: out of tokens");
  });

  it("numbers the trials of a row, and answers show them in that order", async () => {
    const run = start("order");
    const later = run.startPrediction({ a: 1, b: 2 }, { trial: 3 });
    const numbers = [2, 0, undefined, 1].map((trial) =>
      run.startPrediction({ b: 2, a: 1 }, trial === undefined ? {} : { trial }),
    );
    for (const one of [...numbers, later]) {
      one.output(one.trial);
      void one.finish();
    }
    expect(numbers.map(({ trial }) => trial)).toEqual([2, 0, 4, 1]);
    await run.finish();
    expect((await trialsOf(engine, run.id)).map(({ model_output }) => model_output)).toEqual([0, 1, 2, 3, 4]);
  });

  it("reads the row once, when the prediction starts", async () => {
    const run = start("snapshot");
    const row = { question: "before", at: new Date(0), big: 2n ** 70n, left: undefined };
    const prediction = run.startPrediction(row);
    row.question = "after";
    await prediction.finish();
    await run.finish();
    const { rows } = await engine.queryEvalResults(PROJECT, {
      evaluation_call_ids: [run.id],
      include_raw_data_rows: true,
    });
    expect(rows[0]?.raw_data_row).toEqual({
      question: "before",
      at: "1970-01-01T00:00:00.000Z",
      big: 2n ** 70n,
    });
  });

  it("is visible to readers as each trial becomes durable, and a flush shows those under way", async () => {
    const run = start("reader");
    const done = run.startPrediction("done");
    done.output("x");
    done.logScore("ok", 1);
    await done.finish();
    expect(await trialsOf(engine, run.id)).toMatchObject([{ model_output: "x", scores: { ok: 1 } }]);
    const open = run.startPrediction("open");
    open.output("half");
    open.logScore("ok", 0);
    const silent = run.startPrediction("silent");
    await run.flush();
    const shown = await trialsOf(engine, run.id);
    expect(new Set(shown.map(({ model_output }) => model_output))).toEqual(new Set(["half", "x", null]));
    expect(shown.find(({ predict_and_score_call_id: id }) => id === open.id)?.scores).toEqual({ ok: 0 });
    await silent.fail("gone");
    await open.fail("gone");
    await run.finish();
    const failed = (await trialsOf(engine, run.id)).filter(({ model_output }) => model_output !== "x");
    expect(failed.map(({ scores }) => scores)).toEqual([{}, {}]);
  });

  it("ends with its block: what was neither finished nor failed is in error", async () => {
    let id = "";
    {
      await using run = start("block");
      id = run.id;
      run.startPrediction("lost").output("x");
    }
    const records = await recordsOf(engine, id);
    expect(records.map(({ exception }) => exception)).toEqual([
      undefined,
      "Abandoned: neither finished nor failed",
      "Abandoned: neither finished nor failed",
    ]);
    expect(records.every((one) => one.ended_at !== undefined)).toBe(true);
  });

  it("ends in an error, with its text, and finishing again gives the same", async () => {
    const run = start("failed");
    const first = await run.finish({ error: new Error("no data") });
    expect(first.status).toBe("failed");
    expect(await run.finish()).toEqual(first);
    const [root] = await recordsOf(engine, run.id);
    expect(root).toMatchObject({ exception: "Error: no data", output: { trials: 0, errors: 0 } });
  });

  it("takes a whole trial, with the times that it is given", async () => {
    const run = start("examples");
    const [startedAt, endedAt] = [new Date("2026-01-01T00:00:00Z"), new Date("2026-01-01T00:00:02.500Z")];
    await run.logExample({ row: 1, output: "a", scores: { ok: true }, startedAt, endedAt });
    void run.logExample({ row: 2, output: null, error: new Error("refused") });
    await expect(
      run.logExample({ row: 3, output: "c", scores: { ok: Number.NaN, good: 1 } }),
    ).rejects.toThrow("scores.ok: NaN is no JSON number");
    expect(await run.finish()).toMatchObject({ trials: 3, errors: 1, scorer_errors: 1 });
    const read = await trialsOf(engine, run.id);
    expect(read.find(({ model_output }) => model_output === "a")?.model_latency_seconds).toBe(2.5);
    expect(read.find(({ model_output }) => model_output === "c")?.scores).toEqual({ good: 1 });
  });
});

describe("what is logged twice or too late", () => {
  it("is refused by name", async () => {
    const run = start("twice");
    const prediction = run.startPrediction("row");
    prediction.output("x");
    prediction.logScore("ok", 1);
    expect(() => prediction.output("y")).toThrow(/^output: trial 0 \(\S+\) has it already$/);
    expect(() => prediction.logScore("ok", 2)).toThrow(
      /^logScore\("ok"\): trial 0 .* has a score of it already$/,
    );
    expect(() => prediction.failScore("ok", "?")).toThrow(/^failScore\("ok"\)/);
    expect(() => run.startPrediction("row", { trial: 0 })).toThrow(/the row has trial 0 already/);
    await prediction.finish();
    expect(codeOf(() => prediction.logScore("late", 1))).toBe("already_logged");
    expect(() => prediction.logScore("late", 1)).toThrow(/has ended already, with finish$/);
    await expect(prediction.finish()).rejects.toMatchObject({ code: "already_logged" });
    await expect(prediction.fail("?")).rejects.toMatchObject({ code: "already_logged" });
    expect(await run.finish()).toMatchObject({ trials: 1, errors: 0 });
    expect(codeOf(() => run.startPrediction("other"))).toBe("finished");
    await expect(run.logExample({ row: 1, output: 2 })).rejects.toMatchObject({ code: "finished" });
    expect(await trialsOf(engine, run.id)).toMatchObject([{ model_output: "x", scores: { ok: 1 } }]);
  });
});

describe("a score that is added to a stored trial", () => {
  it("is a late score, once", async () => {
    const run = start("late");
    const prediction = run.startPrediction("row");
    prediction.output("x");
    prediction.logScore("ok", 1);
    prediction.failScore("judge", "was ill");
    void prediction.finish();
    await engine.logScore(PROJECT, prediction.id, "judge", { tone: "kind" }, { reason: "well again" });
    const twice = [1, 2].map((value) => engine.logScore(PROJECT, prediction.id, "twice", value));
    expect((await Promise.allSettled(twice)).map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    for (const scorer of ["ok", "judge", "twice"])
      await expect(engine.logScore(PROJECT, prediction.id, scorer, 0)).rejects.toMatchObject({
        code: "conflict",
        message: expect.stringContaining(`has a score of "${scorer}" already`) as string,
      });
    await expect(engine.logScore(PROJECT, "nobody", "ok", 0)).rejects.toMatchObject({ code: "not_found" });
    await expect(engine.logScore(PROJECT, prediction.id, "nan", Number.NaN)).rejects.toThrow(
      "scores.nan: NaN",
    );
    await run.finish();
    const [read] = await trialsOf(engine, run.id);
    expect(read?.scores).toEqual({ ok: 1, judge: { tone: "kind" }, twice: 1 });
    const judge = (await recordsOf(engine, run.id)).find(({ op_name }) => op_name === "judge.score");
    expect(judge).toMatchObject({
      parent_id: prediction.id,
      exception: "",
      attributes: { reason: "well again" },
    });
  });

  it("finds its scorer by op name where a reference cannot hold the scorer's name", async () => {
    const run = start("odd names");
    const prediction = run.startPrediction("row");
    await prediction.finish();
    await engine.logScore(PROJECT, prediction.id, "rouge/l:f1", 0.5);
    expect((await trialsOf(engine, run.id))[0]?.scores).toEqual({ "rouge/l:f1": 0.5 });
  });
});

it("an engine with names of its own finds its own trials", async () => {
  const other = await openEngine({ predictAndScoreOps: ["Mine.both"], attributeNamespaces: ["mine"] });
  const run = other.startEvaluation(PROJECT, { name: "own", model: "bot" });
  await run.logExample({ row: {}, output: "x", scores: { ok: 1 } });
  await run.finish();
  const records: CallRecord[] = await recordsOf(other, run.id);
  expect(records.map(({ op_name }) => op_name)).toContain("Mine.both");
  expect(await trialsOf(other, run.id)).toMatchObject([{ scores: { ok: 1 } }]);
  await other.close();
});

it("every error of the logger is an EvalcubeError", () => {
  expect(() => start("x").startPrediction(() => undefined)).toThrow(EvalcubeError);
});
