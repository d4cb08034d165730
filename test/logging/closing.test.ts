import { describe, expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { createLogging } from "../../src/logging/logging.ts";
import { DEFAULT_CONVENTIONS } from "../../src/model/conventions.ts";
import { PROJECT } from "../support/records.ts";
import { scratchPath } from "../support/scratch.ts";
import { until } from "../support/until.ts";

const NAMES = { name: "support small", model: "bot" };

/** What a database has of each evaluation. */
async function stored(path: string) {
  const engine = await openEngine({ path, threads: 1 });
  const entries = await engine.listEvaluations(PROJECT);
  const { rows } = await engine.queryEvalResults(PROJECT, {
    evaluation_call_ids: entries.map(({ id }) => id),
    include_trial_errors: true,
  });
  await engine.close();
  const trials = rows.flatMap((row) => row.evaluations.flatMap((one) => one.trials));
  return { entries, trials };
}

describe("closing the engine stores what was logged just before", () => {
  it.each([{ id: "e" }, {}])("of an evaluation that nobody finishes, with options %j", async (options) => {
    const path = scratchPath();
    const engine = await openEngine({ path, threads: 1 });
    const run = engine.startEvaluation(PROJECT, { ...NAMES, ...options });
    for (let n = 0; n < 300; n++) {
      const prediction = run.startPrediction({ n });
      prediction.output("x");
      prediction.logScore("right", n);
      void prediction.finish();
    }
    await engine.close();
    const { entries, trials } = await stored(path);
    expect(entries).toMatchObject([{ id: run.id, status: "running", trial_count: 300 }]);
    expect(new Set(trials.map(({ scores }) => scores["right"])).size).toBe(300);
  });

  it("and ends an evaluation whose finish was called before", async () => {
    const path = scratchPath();
    const engine = await openEngine({ path, threads: 1 });
    const run = engine.startEvaluation(PROJECT, { ...NAMES, id: "e" });
    for (let n = 0; n < 50; n++) void run.logExample({ row: { n }, output: n });
    const finished = run.finish();
    await engine.close();
    expect(await finished).toMatchObject({ trials: 50, status: "finished" });
    expect((await stored(path)).entries).toMatchObject([{ status: "finished", trial_count: 50 }]);
  });

  it("and predictions under way as they stand, late scores and records of loads", async () => {
    const path = scratchPath();
    const engine = await openEngine({ path, threads: 1 });
    const run = engine.startEvaluation(PROJECT, { ...NAMES, id: "e" });
    const ended = run.startPrediction({ n: 1 });
    ended.output("first");
    await ended.finish();
    const open = run.startPrediction({ n: 2 });
    open.output("second");
    open.logScore("right", 1);
    void engine.logScore(PROJECT, ended.id, "late", 0.5);
    void engine.ingestCalls([
      { id: "c", project_id: PROJECT, op_name: "o", started_at: "2026-01-01T00:00:00Z" },
    ]);
    await engine.close();
    const { trials } = await stored(path);
    expect(trials).toHaveLength(2);
    expect(trials).toContainEqual(expect.objectContaining({ model_output: "first", scores: { late: 0.5 } }));
    expect(trials).toContainEqual(expect.objectContaining({ model_output: "second", scores: { right: 1 } }));
    const again = await openEngine({ path, threads: 1 });
    expect((await again.sql(PROJECT, "select id from calls where id = 'c'")).numRows).toBe(1);
    await again.close();
  });

  it("and refuses what loggers are asked afterwards, the moment that close is called", async () => {
    const engine = await openEngine({ threads: 1 });
    const run = engine.startEvaluation(PROJECT, NAMES);
    const prediction = run.startPrediction({ n: 1 });
    const closed = engine.close();
    const code = { code: "closed", message: "the engine is closed; openEngine opens it again" };
    expect(() => engine.startEvaluation(PROJECT, NAMES)).toThrow(expect.objectContaining(code));
    expect(() => run.startPrediction({ n: 2 })).toThrow(expect.objectContaining(code));
    expect(() => prediction.output("x")).toThrow(expect.objectContaining(code));
    expect(() => prediction.logScore("right", 1)).toThrow(expect.objectContaining(code));
    await expect(prediction.finish()).rejects.toMatchObject(code);
    await expect(run.logExample({ row: {}, output: 1 })).rejects.toMatchObject(code);
    await expect(run.finish()).rejects.toMatchObject(code);
    await expect(engine.logScore(PROJECT, prediction.id, "late", 1)).rejects.toMatchObject(code);
    const evaluation = { ...NAMES, data: [1], task: () => 1, scorers: {} };
    await expect(engine.evaluate(PROJECT, evaluation)).rejects.toMatchObject(code);
    await closed;
    await engine.close();
  });
});

it("closing while evaluate runs waits for no task; what has ended is stored, and evaluate says what is wrong", async () => {
  const path = scratchPath();
  const engine = await openEngine({ path, threads: 1 });
  let done = 0;
  const evaluation = engine.evaluate(PROJECT, {
    ...NAMES,
    data: Array.from({ length: 20 }, (_, n) => n),
    task: (n) => (n < 5 ? n : new Promise<number>(() => undefined)),
    scorers: {},
    onProgress: (progress) => void (done = progress.done),
  });
  await until("the first tasks have ended", () => done === 5);
  const reason = evaluation.catch((error: unknown) => error);
  await engine.close();
  expect(await reason).toMatchObject({
    code: "closed",
    message: 'the engine was closed while "support small" was running; await evaluate before close',
    run: { trials: 5, status: "failed" },
  });
  expect((await stored(path)).entries).toMatchObject([{ status: "failed", trial_count: 5 }]);
});

describe("closing the engine rejects with the number of trials that are not stored", () => {
  it("where the evaluation has trials of another run, and nobody was told", async () => {
    const path = scratchPath();
    const engine = await openEngine({ path, threads: 1 });
    await engine.evaluate(PROJECT, { ...NAMES, id: "e", data: [1, 2], task: (n) => n, scorers: {} });
    const run = engine.startEvaluation(PROJECT, { ...NAMES, id: "e" });
    for (let n = 0; n < 3; n++) void run.logExample({ row: { n }, output: n });
    run.startPrediction({ n: 4 });
    await expect(engine.close()).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(
        /^the engine is closed with 4 trials not stored: evaluation "e" has trials/,
      ) as string,
    });
    expect((await stored(path)).entries).toMatchObject([{ trial_count: 2, status: "finished" }]);
  });

  it("but not with what a promise told before", async () => {
    const engine = await openEngine({ threads: 1 });
    const run = engine.startEvaluation<unknown, unknown>(PROJECT, NAMES);
    await expect(run.logExample({ row: Number.NaN, output: 1 })).rejects.toMatchObject({
      code: "invalid_value",
    });
    void run.logExample({ row: Number.NaN, output: 1 });
    await expect(run.flush()).rejects.toMatchObject({ code: "invalid_value" });
    await engine.close();
  });
});

it("closing counts trials that the disk does not take, each once", async () => {
  const logging = createLogging({
    conventions: DEFAULT_CONVENTIONS,
    write: () => Promise.reject(Object.assign(new Error("gone"), { name: "E" })),
    readEvaluation: () => Promise.resolve(null),
    readTrial: () => Promise.resolve(null),
  });
  const run = logging.startEvaluation(PROJECT, NAMES);
  for (let n = 0; n < 4; n++) void run.logExample({ row: { n }, output: n });
  run.startPrediction({ n: 5 }).output("x");
  expect(await logging.close()).toMatchObject({
    code: "not_stored",
    message: "the engine is closed with 5 trials not stored: gone",
  });
});
