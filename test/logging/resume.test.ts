import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { openEngine, type CallRecord, type EvaluateOptions } from "../../src/index.ts";
import { PROJECT } from "../support/records.ts";
import { codeOf, recordsOf, trialsOf } from "./reading.ts";

const engine = await openEngine();
afterAll(() => engine.close());

const NAMES = { name: "resumed", model: "bot" };

interface Row {
  readonly n: number;
}

/** An evaluation of which some trials fail. */
function options(id: string, fails: (n: number, trial: number) => boolean): EvaluateOptions<Row, number> {
  return {
    ...NAMES,
    id,
    data: [1, 2, 3, 2].map((n) => ({ n })),
    task: ({ n }, { trial }) => {
      if (fails(n, trial)) throw new Error("no luck");
      return n * 10 + trial;
    },
    scorers: { ok: ({ output }) => output % 2 === 0, sum: ({ row, output }) => row.n + output },
    trials: 2,
    maxConcurrency: 3,
  };
}

/** What is stored, without times. */
async function contents(id: string): Promise<unknown[]> {
  const records = await recordsOf(engine, id);
  const timeless = records.map(({ started_at: _start, ended_at: _end, attributes, ...record }) => {
    const { stack: _stack, ...others } = { stack: undefined, ...attributes };
    return { ...record, attributes: others };
  });
  return timeless.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

describe("an evaluation that is gone on with", () => {
  it("runs only what is missing or in error, and counts the whole", async () => {
    const first = await engine.evaluate(
      PROJECT,
      options("again", (n, trial) => n === 2 && trial % 2 === 0),
    );
    expect(first).toMatchObject({ trials: 8, errors: 2, skipped: 0 });
    const [root] = await recordsOf(engine, "again");
    const second = await engine.evaluate(PROJECT, { ...options("again", () => false), resume: true });
    expect(second).toMatchObject({ trials: 8, errors: 0, skipped: 6 });
    const third = await engine.evaluate(PROJECT, { ...options("again", () => true), resume: true });
    expect(third).toMatchObject({ trials: 8, errors: 0, skipped: 8 });
    const records = await recordsOf(engine, "again");
    expect(records).toHaveLength(1 + 8 * 4);
    expect(records[0]?.started_at).toBe(root?.started_at);
    expect(records.flatMap(({ exception }) => (exception === undefined ? [] : [exception]))).toEqual(
      Array.from({ length: 4 }, () => ""),
    );
    const trials = await trialsOf(engine, "again");
    expect(new Set(trials.map(({ model_output }) => model_output))).toEqual(
      new Set([10, 11, 20, 21, 22, 23, 30, 31]),
    );
    // In the order of their numbers, although two of them ran later.
    const { rows } = await engine.queryEvalResults(PROJECT, { evaluation_call_ids: ["again"] });
    for (const row of rows) {
      const outputs = row.evaluations[0]?.trials.map(({ model_output }) => Number(model_output)) ?? [];
      expect(outputs).toEqual(outputs.toSorted((a, b) => a - b));
    }
  });

  it("is refused without resume, and nothing of it is written", async () => {
    await engine.evaluate(
      PROJECT,
      options("taken", () => false),
    );
    const before = await contents("taken");
    await expect(
      engine.evaluate(
        PROJECT,
        options("taken", () => true),
      ),
    ).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining('evaluation "taken" has trials in acme/qa already') as string,
    });
    const warnings: string[] = [];
    const run = engine.startEvaluation(PROJECT, {
      ...NAMES,
      id: "taken",
      onWarning: (one) => warnings.push(one),
    });
    const dropped = run.startPrediction({ n: 9 });
    void dropped.finish();
    await expect(run.flush()).rejects.toMatchObject({ code: "conflict" });
    await expect(run.finish()).rejects.toMatchObject({ code: "conflict" });
    expect(warnings).toHaveLength(1);
    expect(await contents("taken")).toEqual(before);
  });

  it("refuses a stored trial of one's own loop, at the latest when it ends", async () => {
    await engine.evaluate(
      PROJECT,
      options("own", () => false),
    );
    const run = engine.startEvaluation<Row, number>(PROJECT, { ...NAMES, id: "own", resume: true });
    const early = run.startPrediction({ n: 1 });
    early.output(-1);
    await expect(early.finish()).rejects.toMatchObject({ code: "already_logged" });
    expect(codeOf(() => run.startPrediction({ n: 1 }))).toBe("already_logged");
    expect(run.startPrediction({ n: 1 }).trial).toBe(2);
    expect(await run.finish({ error: "stopped" })).toMatchObject({ trials: 9, errors: 1, skipped: 2 });
    expect(
      await engine.startEvaluation(PROJECT, { ...NAMES, id: "own", resume: true }).finish(),
    ).toMatchObject({
      trials: 9,
      errors: 1,
      status: "finished",
    });
    expect((await recordsOf(engine, "own"))[0]?.exception).toBe("");
  });

  it("leaves a stored trial as it is where a flush comes while it is made again", async () => {
    await engine.evaluate(
      PROJECT,
      options("flushed", () => false),
    );
    const before = await contents("flushed");
    const run = engine.startEvaluation<Row, number>(PROJECT, { ...NAMES, id: "flushed", resume: true });
    const again = run.startPrediction({ n: 1 });
    again.output(-1);
    await run.flush();
    expect(await contents("flushed")).toEqual(before);
    await expect(again.finish()).rejects.toMatchObject({ code: "already_logged" });
    expect(await run.finish()).toMatchObject({ trials: 8, errors: 0, skipped: 1 });
  });

  it("runs again what had not ended when its process died, in the order of the numbers", async () => {
    const dead = engine.startEvaluation<Row, number>(PROJECT, { ...NAMES, id: "dead" });
    const [open, whole] = [dead.startPrediction({ n: 1 }), dead.startPrediction({ n: 1 }, { trial: 5 })];
    open.output(1);
    open.logScore("old", 1);
    await whole.finish();
    await dead.flush();
    const run = engine.startEvaluation<Row, number>(PROJECT, { ...NAMES, id: "dead", resume: true });
    await run.flush();
    for (let n = 0; n < 5; n++) await run.logExample({ row: { n: 1 }, output: n, scores: { fresh: n } });
    expect(codeOf(() => run.startPrediction({ n: 1 }))).toBe("already_logged");
    await run.logExample({ row: { n: 1 }, output: 6 });
    expect(await run.finish()).toMatchObject({ trials: 7, errors: 0 });
    const trials = await trialsOf(engine, "dead");
    expect(trials.map(({ model_output, scores }) => [model_output, scores["fresh"] ?? null])).toEqual([
      ...[0, 1, 2, 3, 4].map((n) => [n, n]),
      [null, null],
      [6, null],
    ]);
    expect(trials.some(({ scores }) => "old" in scores)).toBe(false);
  });

  it("counts trials that others wrote into it, and leaves them alone", async () => {
    await engine.ingestCalls([
      { ...ownTrial("foreign"), attributes: { trial_index: 0 } },
      { ...ownTrial("failed"), exception: "x", output: null },
    ]);
    const run = await engine.evaluate(PROJECT, { ...options("mixed", () => false), resume: true });
    expect(run).toMatchObject({ trials: 10, errors: 1, skipped: 0 });
  });
});

function ownTrial(id: string): CallRecord {
  return {
    id,
    project_id: PROJECT,
    op_name: "Evaluation.predict_and_score",
    started_at: "2026-01-01T00:00:00Z",
    parent_id: "mixed",
    inputs: { example: { n: 1 } },
    output: { output: 1, scores: {} },
  };
}

/** What an answer shows of an evaluation, but ids and times. */
async function shownOf(id: string): Promise<unknown> {
  const request = { evaluation_call_ids: [id], include_summary: true, include_raw_data_rows: true };
  const { rows, summary } = await engine.queryEvalResults(PROJECT, request);
  const shown = rows.map((row) => ({
    ...row,
    evaluations: row.evaluations.map(({ trials }) =>
      trials.map(({ scores, model_output, total_tokens }) => ({ scores, model_output, total_tokens })),
    ),
  }));
  return [shown, summary?.evaluations.map(({ scorer_stats }) => scorer_stats)];
}

function withoutIds(records: readonly unknown[]): string[] {
  return records
    .map((one) => JSON.stringify({ ...(one as object), id: null, parent_id: null, trace_id: null }))
    .toSorted((a, b) => a.localeCompare(b));
}

const SEED = Number(process.env["SEED"] ?? 517);

it(`order, concurrency and interruptions change no stored value but times (SEED=${SEED})`, async () => {
  let count = 0;
  const plan = fc.record({
    data: fc.array(fc.record({ n: fc.integer({ min: 0, max: 4 }) }), { minLength: 1, maxLength: 8 }),
    trials: fc.integer({ min: 1, max: 3 }),
    maxConcurrency: fc.integer({ min: 1, max: 8 }),
    delays: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 5 }),
    stops: fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 2 }),
  });
  await fc.assert(
    fc.asyncProperty(plan, async ({ data, trials, maxConcurrency, delays, stops }) => {
      const [plain, odd] = [`plain-${count}`, `odd-${count++}`];
      let at = 0;
      const pause = () => Promise.all(Array.from({ length: delays[at++ % delays.length] ?? 0 }));
      const run = (id: string, others: Partial<EvaluateOptions<Row, number>>) =>
        engine.evaluate(PROJECT, {
          ...options(id, (n, trial) => (n + trial) % 3 === 2),
          data,
          trials,
          ...others,
        });
      await run(plain, { maxConcurrency: 1 });
      for (const stop of stops) {
        const controller = new AbortController();
        const { signal } = controller;
        const left = { count: stop };
        const task: EvaluateOptions<Row, number>["task"] = async (row, context) => {
          if (left.count-- === 0) controller.abort();
          await pause();
          return await options(odd, (n, trial) => (n + trial) % 3 === 2).task(row, context);
        };
        await run(odd, { maxConcurrency, task, signal, resume: true }).catch(() => undefined);
      }
      const shuffled = data.toReversed();
      await run(odd, { maxConcurrency, data: shuffled, resume: true });
      const rename = (text: string) => JSON.parse(text.replaceAll(odd, plain)) as unknown[];
      expect(rename(JSON.stringify(await shownOf(odd)))).toEqual(await shownOf(plain));
      if (stops.length > 0) return;
      expect(withoutIds(await contents(odd))).toEqual(withoutIds(await contents(plain)));
    }),
    { seed: SEED, numRuns: 12, endOnFailure: true },
  );
});

function placeOf(output: unknown): number {
  const { n, trial } = output as { n: number; trial: number };
  return 10 * n + trial;
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => (typeof one === "bigint" ? String(one) : one));
}

function fail(): never {
  throw new Error("no judge");
}

/** An evaluation of one row whose scorer gives what `value` gives. */
function giving(value: () => boolean | undefined, asked: number[] = []): EvaluateOptions<Row, number> {
  return {
    ...NAMES,
    id: "no opinion",
    data: [{ n: 1 }],
    task: ({ n }) => n,
    scorers: { judge: ({ row }) => (asked.push(row.n), value()) },
    resume: true,
  };
}

/** Rows 1 to 4 with two trials each; the scorer fails on even rows while `broken`. */
function judged(id: string, broken: (n: number) => boolean, asked: string[]): EvaluateOptions<Row, object> {
  return {
    ...NAMES,
    id,
    data: [1, 2, 3, 4].map((n) => ({ n })),
    task: ({ n }, { trial }) => {
      asked.push(`task ${n} ${trial}`);
      return { n, trial, big: 12345678901234567890n };
    },
    scorers: {
      judge: ({ row, output, trial }) => {
        asked.push(`judge ${row.n} ${trial} ${textOf(output)}`);
        if (broken(row.n)) throw new Error("no judge");
        return { good: row.n > 2 };
      },
      size: ({ row }) => row.n,
    },
    trials: 2,
    maxConcurrency: 3,
  };
}

describe("a scorer that failed", () => {
  it("is asked again alone, with the stored output and without the task, until it gives a score", async () => {
    const first = await engine.evaluate(
      PROJECT,
      judged("judged", (n) => n % 2 === 0, []),
    );
    expect(first).toMatchObject({ trials: 8, errors: 0, scorer_errors: 4 });
    const again: string[] = [];
    const second = await engine.evaluate(PROJECT, {
      ...judged("judged", (n) => n === 4, again),
      resume: true,
    });
    expect(second).toMatchObject({ trials: 8, errors: 0, scorer_errors: 2, skipped: 4, status: "finished" });
    expect(again.toSorted()).toEqual(
      [2, 4].flatMap((n) =>
        [0, 1].map((trial) => `judge ${n} ${trial} {"n":${n},"trial":${trial},"big":"12345678901234567890"}`),
      ),
    );
    const third = await engine.evaluate(PROJECT, { ...judged("judged", () => false, []), resume: true });
    expect(third).toMatchObject({ scorer_errors: 0, skipped: 6 });
    const last: string[] = [];
    await engine.evaluate(PROJECT, { ...judged("judged", () => true, last), resume: true });
    expect(last).toEqual([]);
    // As if nothing had failed.
    await engine.evaluate(
      PROJECT,
      judged("never broken", () => false, []),
    );
    const scores = async (id: string) =>
      (await trialsOf(engine, id))
        .map(({ model_output: output, scores: all }) => ({ output, scores: all }))
        .toSorted((one, other) => placeOf(one.output) - placeOf(other.output));
    expect(await scores("judged")).toEqual(await scores("never broken"));
    const told = await engine.queryEvalResults(PROJECT, {
      evaluation_call_ids: ["judged"],
      include_summary: true,
      include_errors: true,
    });
    expect(told.summary?.evaluations[0]?.errors).toEqual([]);
  });

  it("has no opinion the second time: then it is asked no more", async () => {
    expect(await engine.evaluate(PROJECT, giving(fail))).toMatchObject({ scorer_errors: 1 });
    expect(
      await engine.evaluate(
        PROJECT,
        giving(() => undefined),
      ),
    ).toMatchObject({ scorer_errors: 0 });
    const asked: number[] = [];
    expect(
      await engine.evaluate(
        PROJECT,
        giving(() => true, asked),
      ),
    ).toMatchObject({ skipped: 1 });
    expect(asked).toEqual([]);
  });

  it("keeps its error where the evaluation is ended before it has answered", async () => {
    const asked: string[] = [];
    await engine.evaluate(
      PROJECT,
      judged("ended", () => true, asked),
    );
    const stop = new AbortController();
    const ended = engine.evaluate(PROJECT, {
      ...judged("ended", () => (stop.abort(new Error("enough")), true), asked),
      resume: true,
      signal: stop.signal,
    });
    await expect(ended).rejects.toMatchObject({ run: { status: "cancelled", trials: 8, errors: 0 } });
    const again: string[] = [];
    await engine.evaluate(PROJECT, { ...judged("ended", () => false, again), resume: true });
    expect(again).toHaveLength(8);
  });
});
