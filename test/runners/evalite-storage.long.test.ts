import { spawn } from "node:child_process";
import { once } from "node:events";
import { text as readText } from "node:stream/consumers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openEngine } from "../../src/index.ts";
import { evalcubeStorage } from "../../src/runners/evalite.ts";
import { builtProgram } from "../support/built-program.ts";
import { scratchPath } from "../support/scratch.ts";
import { memoryStorage, type MemoryStorage } from "./memory-storage.ts";
import { storedRun } from "./stored-runs.ts";

const OPTIONS = { project: "acme/qa", run: "r1", attributes: { commit: "c1", branch: "b1" } };
const RUNNING = { input: "", expected: "", output: null, duration: 0, status: "running" };

afterEach(() => void vi.restoreAllMocks());

/** The functions of a storage by what they do, in either form. */
function namesOf(storage: MemoryStorage, form: "older" | "newer") {
  return form === "older"
    ? { suites: storage.evals, results: storage.results, suite: "evalId", result: "resultId" }
    : { suites: storage.suites, results: storage.evals, suite: "suiteId", result: "evalId" };
}

describe.each(["older", "newer"] as const)("a storage around an %s one of evalite", (form) => {
  /** Begins a run with one suite. */
  async function begin(db: string, options: object = {}) {
    const own = memoryStorage(form);
    const storage = await evalcubeStorage({ ...OPTIONS, db, ...options }, own);
    const { suites, results, suite, result } = namesOf(storage, form);
    const run = await storage.runs.create({ runType: "full" });
    const told = { runId: run.id, name: "sums", filepath: `${process.cwd()}/evals/sums.eval.ts` };
    const { id } = await suites.create(told);
    return {
      own,
      storage,
      start: async (order: number) => (await results.create({ [suite]: id, order, ...RUNNING })).id,
      end: (of: number, ended: object) =>
        results.update({ id: of, expected: undefined, duration: 40, status: "success", ...ended }),
      score: (of: number, score: object) => storage.scores.create({ [result]: of, ...score }),
      trace: (of: number, trace: object) => storage.traces.create({ [result]: of, ...trace }),
      finish: () => suites.update({ id, status: "success" }),
    };
  }

  it("makes a trial of a result with its scores, reasons, tokens, traces and times", async () => {
    const db = scratchPath();
    const { start, end, score, trace, finish } = await begin(db, { model: "openai/gpt:4" });
    const [first, second] = [await start(0), await start(1)];
    await end(first, { input: { q: 1 }, expected: 2, output: "two" });
    await score(first, { name: "right", score: 0.5, description: "as expected", metadata: { why: "close" } });
    await score(first, { name: "right", score: 0 });
    await trace(first, {
      input: ["hi"],
      output: "two",
      start: 1000,
      end: 1030,
      inputTokens: 3,
      totalTokens: 7,
      order: 1,
    });
    await trace(first, { input: "x", output: "y", start: 1005, end: 1010, totalTokens: 5, order: 2 });
    await end(second, {
      input: "a",
      output: { name: "TypeError", message: "boom", stack: "at x" },
      status: "fail",
    });
    await finish();
    const { evaluations, trials, calls, problems } = await storedRun(db);
    expect(problems).toEqual([]);
    expect(evaluations).toMatchObject([
      {
        display_name: "sums",
        status: "finished",
        trial_count: 2,
        error_count: 1,
        commit: "c1",
        branch: "b1",
      },
    ]);
    expect(evaluations[0]?.model_ref).toContain("/object/openai-gpt-4:");
    const [failed, good] = (trials.get("sums") ?? []).toSorted(
      (a, b) => (a.trial.error ? -1 : 1) - (b.trial.error ? -1 : 1),
    );
    expect(good).toMatchObject({
      row: { input: { q: 1 }, expected: 2 },
      trial: {
        model_output: "two",
        scores: { right: 0.5, "right 2": 0 },
        total_tokens: 12,
        model_latency_seconds: 0.04,
      },
    });
    expect(failed).toMatchObject({ row: { input: "a" }, trial: { scores: {}, error: "TypeError: boom" } });
    const root = calls.find(({ op_name: name }) => name === "Evaluation.evaluate");
    expect(root?.["attributes"]).toMatchObject({
      file: "evals/sums.eval.ts",
      run: "r1",
      model: "openai/gpt:4",
    });
    const predict = `${good?.trial.predict_call_id}`;
    const below = calls.filter(({ parent_id: parent }) => parent === predict);
    const [longer] = below;
    expect(below).toHaveLength(2);
    expect(Date.parse(String(longer?.["ended_at"])) - Date.parse(String(longer?.["started_at"]))).toBe(30);
    const reason = calls.find(({ op_name: name }) => name === "right.score");
    expect(reason?.["attributes"]).toMatchObject({ reason: 'as expected\n{"why":"close"}' });
  });

  it("gives a result that timed out its place as row", async () => {
    const db = scratchPath();
    const { start, end, finish } = await begin(db);
    await end(await start(7), { input: "", expected: "", output: null, duration: 0, status: "fail" });
    await finish();
    const { trials } = await storedRun(db);
    const error = "TimeoutError: evalite ended the test before it gave a result";
    expect(trials.get("sums")).toMatchObject([{ row: { order: 7 }, trial: { error } }]);
  });

  it("passes every call on with its arguments, and gives the answers", async () => {
    const { own, storage } = await begin(scratchPath());
    const told = { ids: [1], limit: 1 };
    expect(await storage.runs.getMany(told)).toBe(own.calls.at(-1)?.[2]);
    expect(own.calls.at(-1)?.[1]).toBe(told);
    expect(await storage.cache.get("k")).toBe("cached k");
    expect(await storage.close()).toBe(`closed after ${own.calls.length}`);
    expect(Object.getPrototypeOf(storage)).toBe(Object.prototype);
  });

  it("counts same rows as trials, loses what is no JSON alone, and goes on after an end", async () => {
    const db = scratchPath();
    const written = vi.spyOn(process.stderr, "write").mockImplementation(() => true);
    const { start, end, score, storage, finish } = await begin(db);
    await end(await start(0), { input: "same", output: "a" });
    await finish();
    const next = await start(1);
    await end(next, { input: "same", output: () => "b" });
    await score(next, { name: "right", score: Number.NaN });
    await score(next, { name: "kind", score: 1 });
    await finish();
    await storage.runs.create({ runType: "partial" });
    expect(written.mock.calls.map(([text]) => text).join("")).toBe(
      `evalcube: 1 evaluation, 2 trials, 0 in error, 2 values left out → ${db} (acme/qa)\n`,
    );
    const { trials } = await storedRun(db);
    expect(trials.get("sums")).toMatchObject([
      { row: { input: "same" }, trial: { model_output: "a", scores: {} } },
      { row: { input: "same" }, trial: { model_output: null, scores: { kind: 1 } } },
    ]);
  });

  it("lets go of the database after a run, though an eval of the run before was interrupted", async () => {
    const db = scratchPath();
    const { storage, start } = await begin(db);
    await start(0);
    await storage.runs.create({ runType: "partial" });
    const { suites, results, suite } = namesOf(storage, form);
    const { id } = await suites.create({ name: "later", filepath: "later.eval.ts" });
    const { id: result } = await results.create({ [suite]: id, order: 0, ...RUNNING });
    await results.update({ id: result, input: 1, output: 2, duration: 1, status: "success" });
    await suites.update({ id, status: "success" });
    expect([...(await storedRun(db)).trials.keys()]).toEqual(["later"]);
  });

  it("goes on with the same run: what is stored without error stays, what failed is made again", async () => {
    const db = scratchPath();
    const ended = { input: "good", output: "first" };
    const first = await begin(db);
    await first.end(await first.start(0), ended);
    await first.end(await first.start(1), { input: "bad", output: "no", status: "fail" });
    await first.finish();
    await first.storage.runs.create({ runType: "partial" });
    const again = await begin(db);
    await again.end(await again.start(0), { ...ended, output: "second" });
    await again.end(await again.start(1), { input: "bad", output: "yes" });
    await again.finish();
    await again.storage.runs.create({ runType: "partial" });
    const { evaluations, trials } = await storedRun(db);
    expect(evaluations).toMatchObject([{ trial_count: 2, error_count: 0, status: "finished" }]);
    const outputs = (trials.get("sums") ?? []).map(({ row, trial }) => [row, trial.model_output]);
    expect(new Map(outputs.map(([row, output]) => [JSON.stringify(row), output]))).toEqual(
      new Map([
        ['{"input":"good"}', "first"],
        ['{"input":"bad"}', "yes"],
      ]),
    );
  });

  it("lets go of the database at close, with an end of what has one and none of what is under way", async () => {
    const db = scratchPath();
    const { start, end, finish, storage } = await begin(db);
    await end(await start(0), { input: "a", output: "b" });
    await finish();
    const { suites, results, suite } = namesOf(storage, form);
    const { id } = await suites.create({ name: "later", filepath: "later.eval.ts" });
    await results.create({ [suite]: id, order: 0, ...RUNNING });
    const done = await results.create({ [suite]: id, order: 1, ...RUNNING });
    await results.update({ id: done.id, input: 1, output: 2, duration: 1, status: "success" });
    await storage.close();
    const engine = await openEngine({ path: db, threads: 1 });
    const list = await engine.listEvaluations("acme/qa");
    await engine.close();
    expect(new Map(list.map((one) => [one.display_name, [one.status, one.trial_count]]))).toEqual(
      new Map([
        ["sums", ["finished", 1]],
        ["later", ["running", 1]],
      ]),
    );
  });

  it("writes calls into a file beside a busy database, and says how to load it", async () => {
    const db = scratchPath();
    const other = await openEngine({ path: db, threads: 1 });
    const written = vi.spyOn(process.stderr, "write").mockImplementation(() => true);
    const { start, end, score, finish, storage } = await begin(db);
    const id = await start(0);
    await end(id, { input: "a", output: "b" });
    await score(id, { name: "right", score: 1 });
    const began = performance.now();
    await finish();
    expect(performance.now() - began).toBeLessThan(10_000);
    await storage.runs.create({ runType: "partial" });
    const file = `${db}.r1.ndjson`;
    expect(written.mock.calls.map(([text]) => text).join("")).toBe(
      `evalcube: 1 evaluation, 1 trial, 0 in error → ${file} (acme/qa); ${db} is busy; load them with: evalcube ingest --db ${db} ${file}\n`,
    );
    await other.ingestCalls(file);
    await other.close();
    const { evaluations, trials } = await storedRun(db);
    expect(evaluations).toMatchObject([{ display_name: "sums", status: "finished", trial_count: 1 }]);
    expect(trials.get("sums")).toMatchObject([{ trial: { model_output: "b", scores: { right: 1 } } }]);
  });
});

it("process.exit while an eval has no end ends it with its own status, and every result is stored", async () => {
  const db = scratchPath();
  const child = spawn(process.execPath, [builtProgram("children/running-evals"), db, "30", "none"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const said = readText(child.stderr);
  expect(await once(child, "exit")).toEqual([3, null]);
  expect(await said).toBe(`evalcube: 1 evaluation, 30 trials, 0 in error → ${db} (acme/qa)\n`);
  const { evaluations, problems } = await storedRun(db);
  expect(problems).toEqual([]);
  expect(evaluations).toMatchObject([{ trial_count: 30 }]);
});
