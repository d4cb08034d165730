import { afterAll, describe, expect, it } from "vitest";
import {
  EvaluationFailed,
  openEngine,
  type EvaluationRun,
  type EvaluationProgress,
} from "../../src/index.ts";
import { PROJECT } from "../support/records.ts";
import { until } from "../support/until.ts";
import { recordsOf, trialsOf } from "./reading.ts";

const engine = await openEngine();
afterAll(() => engine.close());

const NAMES = { name: "loop", model: "bot" };
const rows = Array.from({ length: 6 }, (_, n) => ({ n }));
async function* later() {
  for (const row of rows) yield await Promise.resolve(row);
}
const hang = () => new Promise<never>(() => undefined);

function hasRun(error: unknown): EvaluationRun {
  return (error as { run: EvaluationRun }).run;
}

describe("evaluate", () => {
  it("runs each row as often as it has trials, and keeps what the scorers say in their order", async () => {
    const progress: EvaluationProgress[] = [];
    const run = await engine.evaluate(PROJECT, {
      ...NAMES,
      data: rows,
      task: async ({ n }, { trial, usage, predictionId }) => {
        usage({ m: { total_tokens: predictionId.length } });
        await Promise.resolve();
        return n * 10 + trial;
      },
      scorers: {
        slow: async ({ row, output }) => {
          await new Promise((resolve) => setTimeout(resolve, 2));
          return output - row.n;
        },
        quick: ({ trial }) => ({ trial, even: trial % 2 === 0 }),
        silent: () => undefined,
      },
      trials: 2,
      maxConcurrency: 3,
      onProgress: (one) => progress.push(one),
    });
    expect(run).toMatchObject({ trials: 12, errors: 0, scorer_errors: 0, skipped: 0, status: "finished" });
    expect(progress.at(-1)).toEqual({ done: 12, total: 12, errors: 0 });
    const trials = await trialsOf(engine, run.id);
    expect(trials.map(({ model_output: output }) => Number(output)).toSorted((a, b) => a - b)).toEqual(
      rows.flatMap(({ n }) => [n * 10, n * 10 + 1]),
    );
    for (const { scores, total_tokens } of trials) {
      expect(Object.keys(scores)).toEqual(["slow", "quick"]);
      expect(total_tokens).toBe(22);
    }
  });

  it("takes any iterable, or a function that makes one, with as many trials as the row says", async () => {
    for (const data of [new Set(rows), later(), later, () => rows]) {
      const { trials } = await engine.evaluate(PROJECT, {
        ...NAMES,
        data,
        task: ({ n }) => n,
        scorers: {},
        trials: ({ n }) => n % 3,
      });
      expect(trials).toBe(6);
    }
  });

  it("runs at most so many trials at a time, and reads one row ahead", async () => {
    let [running, most, read, begun, ahead] = [0, 0, 0, 0, 0];
    async function* data() {
      for (let n = 0; n < 40; n++) {
        await Promise.resolve();
        read++;
        yield { n };
      }
    }
    await engine.evaluate(PROJECT, {
      ...NAMES,
      data,
      task: async () => {
        most = Math.max(most, ++running);
        ahead = Math.max(ahead, read - ++begun);
        await new Promise((resolve) => setTimeout(resolve, 1));
        running--;
        return "";
      },
      scorers: {},
      maxConcurrency: 4,
    });
    expect(most).toBe(4);
    expect(ahead).toBeLessThanOrEqual(1);
  });

  it("keeps a task that throws, hangs, or returns what cannot be stored, as a trial in error", async () => {
    const tasks = [
      () => {
        throw new TypeError("at once");
      },
      () => Promise.reject(new Error("later")),
      hang,
      () => Number.NaN,
      () => undefined,
      () => "good",
    ];
    let aborted: unknown;
    const run = await engine.evaluate(PROJECT, {
      ...NAMES,
      data: rows,
      task: ({ n }, { signal }): unknown => {
        if (n === 2) signal.addEventListener("abort", () => (aborted = signal.reason));
        return tasks[n]?.();
      },
      scorers: { ok: () => true },
      timeoutMs: 20,
    });
    expect(run).toMatchObject({ trials: 6, errors: 4, status: "finished" });
    expect(aborted).toMatchObject({ name: "TimeoutError" });
    const exceptions = (await recordsOf(engine, run.id)).flatMap(({ op_name, exception }) =>
      op_name === "Model.predict" && exception !== undefined ? [exception] : [],
    );
    expect(exceptions.toSorted((a, b) => String(a).localeCompare(String(b)))).toEqual([
      "Error: later",
      "EvalcubeError: output: NaN is no JSON number",
      "TimeoutError: the task did not end within 20 ms",
      "TypeError: at once",
    ]);
    const good = (await trialsOf(engine, run.id)).filter(({ scores }) => scores["ok"] === true);
    expect(new Set(good.map(({ model_output }) => model_output))).toEqual(new Set(["good", null]));
  });

  it("keeps whatever is thrown, also what cannot be read, as a trial or a scorer in error", async () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const thrown: readonly unknown[] = [proxy, { toJSON: () => undefined }, undefined, Symbol("s"), 5n];
    const raise = (n: number) => {
      throw thrown[n];
    };
    const options = { ...NAMES, data: [...thrown.keys()] };
    const run = await engine.evaluate(PROJECT, { ...options, task: raise, scorers: {} });
    expect(run).toMatchObject({ trials: 5, errors: 5, status: "finished" });
    const judged = await engine.evaluate(PROJECT, {
      ...options,
      task: () => "x",
      scorers: { constructor: ({ row }: { readonly row: number }) => raise(row), good: () => 1 },
    });
    expect(judged).toMatchObject({ trials: 5, errors: 0, scorer_errors: 5, status: "finished" });
  });

  it("keeps a scorer that throws, hangs, returns NaN or comes late as an error of that scorer", async () => {
    const late: ((value: number) => void)[] = [];
    const run = await engine.evaluate(PROJECT, {
      ...NAMES,
      data: [1],
      task: () => "x",
      scorers: {
        good: () => 1,
        throws: () => {
          throw new RangeError("no judge");
        },
        hangs: hang,
        nan: () => Number.NaN,
        late: () => new Promise<number>((resolve) => late.push(resolve)),
      },
      timeoutMs: 20,
    });
    late[0]?.(1);
    expect(run).toMatchObject({ trials: 1, errors: 0, scorer_errors: 4 });
    expect(await trialsOf(engine, run.id)).toMatchObject([{ scores: { good: 1 } }]);
    const exceptions = (await recordsOf(engine, run.id)).flatMap(({ op_name, exception }) =>
      exception === undefined ? [] : [`${op_name} ${exception}`],
    );
    expect(exceptions.toSorted()).toEqual([
      'hangs.score TimeoutError: the scorer "hangs" did not end within 20 ms',
      'late.score TimeoutError: the scorer "late" did not end within 20 ms',
      "nan.score EvalcubeError: scores.nan: NaN is no JSON number",
      "throws.score RangeError: no judge",
    ]);
  });
});

describe("an evaluation that ends early", () => {
  it("keeps what was finished, tells what is under way, and has its run on the reason", async () => {
    const controller = new AbortController();
    const told: number[] = [];
    const evaluation = engine.evaluate(PROJECT, {
      ...NAMES,
      data: rows,
      task: ({ n }, { signal }) =>
        n < 2
          ? n
          : new Promise<number>((resolve, reject) => {
              signal.addEventListener("abort", () => {
                told.push(n);
                if (n === 2) resolve(n);
                else reject(new Error("stopped"));
              });
              if (n === 3) setTimeout(() => controller.abort(), 5);
            }),
      scorers: { ok: () => true },
      maxConcurrency: 4,
      signal: controller.signal,
    });
    const error: unknown = await evaluation.catch((reason: unknown) => reason);
    expect(error).toBe(controller.signal.reason);
    expect(told.length).toBeGreaterThanOrEqual(2);
    const run = hasRun(error);
    expect(run).toMatchObject({ trials: 3, errors: 0, status: "cancelled" });
    const trials = await trialsOf(engine, run.id);
    expect(new Set(trials.map(({ model_output }) => model_output))).toEqual(new Set([0, 1, 2]));
    expect((await recordsOf(engine, run.id))[0]?.exception).toBe("Cancelled");
  });

  it("does not wait for a task that ignores its signal, and writes nothing of it", async () => {
    const controller = new AbortController();
    let begun = 0;
    const error: unknown = await engine
      .evaluate(PROJECT, {
        ...NAMES,
        data: rows,
        task: () => {
          if (++begun === 2) controller.abort(new Error("enough"));
          return hang();
        },
        scorers: {},
        maxConcurrency: 2,
        signal: controller.signal,
      })
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ message: "enough", run: { trials: 0, status: "cancelled" } });
    expect(begun).toBe(2);
    expect(await recordsOf(engine, hasRun(error).id)).toHaveLength(1);
  });

  it("starts nothing with a signal that has aborted", async () => {
    const before = (await engine.listEvaluations(PROJECT)).length;
    const signal = AbortSignal.abort(new Error("before"));
    const work = engine.evaluate(PROJECT, { ...NAMES, data: rows, task: () => 1, scorers: {}, signal });
    await expect(work).rejects.toThrow("before");
    expect(await engine.listEvaluations(PROJECT)).toHaveLength(before);
  });

  it.each<[number, Iterable<object>, string]>([
    [2, rows, "2 of 3 trials in error"],
    [0.5, rows, "3 of 4 trials in error"],
    [0, rows, "1 of 2 trials in error"],
    [0.5, new Set(rows), "5 of 6 trials in error"],
  ])("at %s errors, with the first of them as its cause", async (failOnError, data, message) => {
    const work = engine.evaluate(PROJECT, {
      ...NAMES,
      data: data as Iterable<{ n: number }>,
      task: ({ n }) => {
        if (n > 0) throw new Error(`row ${n}`);
        return n;
      },
      scorers: {},
      maxConcurrency: 1,
      failOnError,
    });
    const error: unknown = await work.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(EvaluationFailed);
    expect(error).toMatchObject({ code: "evaluation_failed", message, cause: { message: "row 1" } });
    expect(String(error)).toBe(`EvaluationFailed: ${message}`);
    const run = hasRun(error);
    expect(run.status).toBe("failed");
    expect(`${run.errors} of ${run.trials} trials in error`).toBe(message);
    expect((await recordsOf(engine, run.id))[0]?.exception).toBe(`EvaluationFailed: ${message}`);
  });

  it("with what the data throws, and closes the data where it ends before them", async () => {
    let closed = false;
    function* data(fault: Error | null) {
      try {
        yield* rows;
        if (fault !== null) throw fault;
        for (;;) yield* rows;
      } finally {
        closed = true;
      }
    }
    const all = { ...NAMES, task: ({ n }: { n: number }) => n, scorers: {} };
    await expect(
      engine.evaluate(PROJECT, { ...all, data: () => data(new Error("no more rows")) }),
    ).rejects.toMatchObject({ message: "no more rows", run: { trials: 6, status: "failed" } });
    closed = false;
    await expect(
      engine.evaluate(PROJECT, {
        ...all,
        data: () => data(null),
        task: () => new Promise((resolve) => setTimeout(resolve, 1)),
        onProgress: () => {
          throw new Error("the bar broke");
        },
      }),
    ).rejects.toThrow("the bar broke");
    await until("the data are closed", () => closed);
  });

  it("with a row that cannot be stored", async () => {
    const work = engine.evaluate(PROJECT, { ...NAMES, data: [{ f: hang }], task: () => 1, scorers: {} });
    await expect(work).rejects.toMatchObject({
      code: "invalid_value",
      message: "row.f: a function is no JSON value",
    });
  });
});
