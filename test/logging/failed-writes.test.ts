import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openCore } from "../../src/engine/engine.ts";
import { EvalcubeError, openEngine, StoreError, type CallRecord } from "../../src/index.ts";
import { createLogging } from "../../src/logging/logging.ts";
import { DEFAULT_CONVENTIONS } from "../../src/model/conventions.ts";
import { PROJECT } from "../support/records.ts";
import { settle, standstill, until } from "../support/until.ts";

const FULL = new StoreError("storage_full", "the disk is full");

/** A place for records whose disk can be full, slow, or refuse one record. */
function disk() {
  const written: (readonly CallRecord[])[] = [];
  const state = { full: false, slow: null as Promise<void> | null, refused: "" };
  const write = async (records: readonly CallRecord[]) => {
    await (state.slow ?? Promise.resolve());
    if (state.full) throw FULL;
    if (records.some(({ op_name }) => op_name === state.refused))
      throw new EvalcubeError("invalid_record", "refused");
    written.push(records);
  };
  const store = {
    conventions: DEFAULT_CONVENTIONS,
    write,
    readEvaluation: () => Promise.resolve(null),
    readTrial: () => Promise.resolve(null),
  };
  const warnings: string[] = [];
  const logging = createLogging(store);
  const run = logging.startEvaluation<unknown, unknown>(PROJECT, {
    name: "n",
    model: "m",
    onWarning: (one) => warnings.push(one),
  });
  const trials = () =>
    written.flat().filter(({ op_name }) => op_name === "Evaluation.predict_and_score").length;
  return { state, written, logging, run, warnings, trials };
}

/** Lets every write wait; returns what ends that. */
function slowDown(state: { slow: Promise<void> | null }): () => void {
  const resolvers: (() => void)[] = [];
  state.slow = new Promise((resolve) => resolvers.push(resolve));
  return () => resolvers[0]?.();
}

const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
beforeEach(() => void process.on("unhandledRejection", note));
afterEach(async () => {
  await settle();
  process.off("unhandledRejection", note);
  if (unhandled.length > 0) throw new Error(`unhandled: ${unhandled.splice(0).map(String).join(", ")}`);
});

it("whoever logs without waiting is warned once of what is held", async () => {
  const { state, run, warnings } = disk();
  const open = slowDown(state);
  const output = "x".repeat(3 * 1024 * 1024);
  for (let n = 0; n < 11; n++) void run.logExample({ row: n, output });
  expect(warnings).toEqual([]);
  for (let n = 0; n < 20; n++) void run.logExample({ row: n, output });
  open();
  await run.finish();
  expect(warnings).toEqual([
    `evaluation ${run.id}: more than 64 MiB wait to be written; await flush() from time to time`,
  ]);
});

it("evaluate waits for the disk when a group of trials waits", async () => {
  const { state, logging } = disk();
  const open = slowDown(state);
  let asked = 0;
  const evaluation = logging.evaluate(PROJECT, {
    name: "n",
    model: "m",
    data: Array.from({ length: 2500 }, (_, n) => n),
    task: () => ++asked,
    scorers: {},
    maxConcurrency: 5,
  });
  await standstill("the tasks stand still", () => asked);
  expect(asked).toBeGreaterThanOrEqual(2000);
  expect(asked).toBeLessThan(2010);
  open();
  expect(await evaluation).toMatchObject({ trials: 2500 });
});

it("trials that finish at the same time share transactions, those of ten evaluations as those of one", async () => {
  const { store, storeCalls, logged, close } = await openCore({ threads: 1 });
  const logging = createLogging({ ...logged, write: storeCalls });
  const runs = Array.from({ length: 10 }, (_, n) =>
    logging.startEvaluation<unknown, unknown>(PROJECT, { name: String(n), model: "m" }),
  );
  await Promise.all(runs.map((run) => run.flush()));
  const before = store.epoch() ?? 0;
  for (const run of runs)
    for (let row = 0; row < 20; row++) void run.logExample({ row, output: row, scores: { ok: 1 } });
  await Promise.all(runs.map((run) => run.flush()));
  expect((store.epoch() ?? 0) - before).toBeLessThanOrEqual(3);
  await close();
});

describe("a write that fails", () => {
  it("rejects every trial that it was to store, and a flush writes them when the disk has room again", async () => {
    const { state, run, trials } = disk();
    state.full = true;
    const results = await Promise.allSettled([1, 2, 3].map((row) => run.logExample({ row, output: row })));
    expect(results.map((one) => (one.status === "rejected" ? one.reason : null))).toEqual([FULL, FULL, FULL]);
    await expect(run.flush()).rejects.toBe(FULL);
    await expect(run.finish()).rejects.toBe(FULL);
    state.full = false;
    expect(await run.finish()).toMatchObject({ trials: 3, errors: 0 });
    expect(trials()).toBe(3);
  });

  it("is tried again with the next trial", async () => {
    const { state, run, trials } = disk();
    state.full = true;
    await run.logExample({ row: 1, output: 1 }).catch(() => undefined);
    state.full = false;
    await run.logExample({ row: 2, output: 2 });
    expect(trials()).toBe(2);
  });

  it("is not tried again where the trial was stored meanwhile, of which it had a part", async () => {
    const { state, written, run } = disk();
    await run.flush();
    const prediction = run.startPrediction(1);
    prediction.output("x");
    state.full = true;
    const open = slowDown(state);
    const flush = run.flush();
    await settle();
    // The part is under way, and will fail; the whole comes after it.
    prediction.logScore("good", 1);
    const wait = state.slow;
    state.slow = null;
    const whole = Promise.resolve(wait).then(() => {
      state.full = false;
      return prediction.finish();
    });
    open();
    await Promise.allSettled([flush, whole]);
    await run.flush();
    const stored = written.flat().filter(({ id }) => id === prediction.id);
    expect(stored.at(-1)?.output).toEqual({ output: "x", scores: { good: 1 } });
    expect(await run.finish()).toMatchObject({ trials: 1 });
  });

  it("is heard once where its promises were dropped, and the next flush rejects with it", async () => {
    const { state, run, warnings } = disk();
    state.full = true;
    for (let row = 0; row < 5; row++) void run.logExample({ row, output: row });
    await until("the write fails", () => warnings.length > 0);
    await expect(run.flush()).rejects.toBe(FULL);
    expect(warnings).toEqual([`evaluation ${run.id}: the disk is full`]);
    state.full = false;
    await run.flush();
    await run.finish();
  });

  it("loses the one trial that was refused for its content, and says so", async () => {
    const { state, run, warnings, trials } = disk();
    state.refused = "odd.score";
    await run.flush();
    void run.logExample({ row: 1, output: 1 });
    void run.logExample({ row: 2, output: 2, scores: { odd: 1 } });
    const last = run.logExample({ row: 3, output: 3 });
    await last;
    await expect(run.flush()).rejects.toMatchObject({ code: "invalid_record" });
    expect(warnings).toEqual([`evaluation ${run.id}: refused`]);
    await run.flush();
    expect(await run.finish()).toMatchObject({ trials: 2 });
    expect(trials()).toBe(2);
  });

  it("ends evaluate with its error", async () => {
    const { state, logging } = disk();
    let asked = 0;
    const work = logging.evaluate(PROJECT, {
      name: "n",
      model: "m",
      data: Array.from({ length: 100_000 }, (_, n) => n),
      task: (n) => {
        if (++asked === 10) state.full = true;
        return n;
      },
      scorers: {},
    });
    await expect(work).rejects.toBe(FULL);
    expect(asked).toBeLessThan(100_000);
  });
});

it("a promise that is dropped is heard of once, whatever was wrong with it", async () => {
  const { run, warnings } = disk();
  void run.logExample({ row: Number.NaN, output: 1 });
  await settle();
  expect(warnings).toEqual([`evaluation ${run.id}: row: NaN is no JSON number`]);
  await expect(run.flush()).rejects.toThrow("row: NaN is no JSON number");
  warnings.length = 0;
  const heard = run.logExample({ row: Number.NaN, output: 1 }).catch(() => "heard");
  expect(await heard).toBe("heard");
  const awaited = async () => await run.logExample({ row: Number.NaN, output: 1 });
  await expect(awaited()).rejects.toThrow("row: NaN is no JSON number");
  await settle();
  expect(warnings).toEqual([]);
  expect(await run.finish()).toMatchObject({ trials: 0 });
});

it("closing the engine waits for what was logged, and rejects with what cannot be written", async () => {
  const { state, logging, run } = disk();
  for (let row = 0; row < 3; row++) void run.logExample({ row, output: row });
  state.full = true;
  expect(await logging.close()).toMatchObject({
    code: "storage_full",
    message: "the engine is closed with 3 trials not stored: the disk is full",
    cause: FULL,
  });

  const engine = await openEngine();
  const own = engine.startEvaluation(PROJECT, { name: "n", model: "m" });
  for (let row = 0; row < 3; row++) void own.logExample({ row: { row }, output: row });
  await engine.close();
  expect(await own.flush()).toBeUndefined();
  await expect(own.logExample({ row: {}, output: 1 })).rejects.toMatchObject({ code: "closed" });
  await expect(own.finish()).rejects.toMatchObject({ code: "closed" });
});
