import { afterAll, describe, expect, it, vi } from "vitest";
import { openEngine, type EvaluateOptions } from "../../src/index.ts";
import { PROJECT } from "../support/records.ts";
import { until } from "../support/until.ts";
import { recordsOf, trialsOf } from "./reading.ts";

const engine = await openEngine();
afterAll(() => engine.close());

/** Pauses that were asked for, in milliseconds. */
let pauses: number[] = [];

/** Runs an evaluation whose pauses do not last. */
async function evaluate(options: Options) {
  pauses = [];
  const later = globalThis.setTimeout;
  const spy = vi.spyOn(globalThis, "setTimeout").mockImplementation(((work: () => void, ms: number) => {
    if (ms < 500) return later(work, ms);
    pauses.push(ms);
    return later(work, 0);
  }) as typeof setTimeout);
  try {
    return await engine.evaluate(PROJECT, options);
  } finally {
    spy.mockRestore();
  }
}

type Options = EvaluateOptions<{ n: number }, number>;

/** A task that fails `times` times a trial, and a scorer that does. */
function flaky(id: string, { task = 0, scorer = 0 }, more: Partial<Options> = {}): Options {
  const calls = new Map<string, number>();
  const failing = (name: string, times: number) => {
    const call = (calls.get(name) ?? 0) + 1;
    calls.set(name, call);
    if (call <= times) throw new Error(`${call}`);
  };
  return {
    name: id,
    id,
    model: "bot",
    data: [{ n: 1 }, { n: 2 }],
    task: ({ n }, { trial }) => {
      failing(`${n} ${trial}`, task);
      return n;
    },
    scorers: {
      flaky: ({ row, trial }) => {
        failing(`s ${row.n} ${trial}`, scorer);
        return true;
      },
      steady: ({ output }) => output,
    },
    ...more,
  };
}

async function attempts(id: string): Promise<unknown[]> {
  const calls = await recordsOf(engine, id);
  return calls.flatMap(({ op_name, attributes }) =>
    op_name === "Evaluation.predict_and_score"
      ? [(attributes as { attempts?: number } | undefined)?.attempts ?? null]
      : [],
  );
}

describe("retries", () => {
  it("call a task and a scorer again, under the same number of the trial, after pauses that double up to 30 s", async () => {
    const run = await evaluate(
      flaky("again", { task: 8, scorer: 2 }, { retries: 8, trials: 2, maxConcurrency: 1 }),
    );
    expect(run).toMatchObject({ trials: 4, errors: 0, scorer_errors: 0 });
    expect(pauses.slice(0, 10)).toEqual([500, 1000, 2000, 4000, 8000, 16000, 30000, 30000, 500, 1000]);
    expect(await attempts("again")).toEqual([9, 9, 9, 9]);
    const trials = await trialsOf(engine, "again");
    expect(trials.map(({ scores }) => scores)).toEqual([1, 1, 2, 2].map((n) => ({ flaky: true, steady: n })));
  });

  it("leave the last error where all fail, and are none without being asked for", async () => {
    expect(await evaluate(flaky("out", { task: 3 }, { retries: 2 }))).toMatchObject({ errors: 2 });
    expect(pauses).toEqual([500, 500, 1000, 1000]);
    const texts = (await recordsOf(engine, "out")).flatMap(({ exception }) => exception ?? []);
    expect(new Set(texts)).toEqual(new Set(["Error: 3"]));
    expect(await evaluate(flaky("none", { task: 1, scorer: 1 }))).toMatchObject({ errors: 2 });
    expect([pauses, await attempts("none")]).toEqual([[], [null, null]]);
  });

  it("take a call that lasts too long for one that throws, but not a value that cannot be stored", async () => {
    const slow = flaky(
      "slow",
      {},
      {
        retries: 1,
        timeoutMs: 5,
        task: () => new Promise<never>(() => undefined),
      },
    );
    expect(await evaluate(slow)).toMatchObject({ errors: 2 });
    expect(await attempts("slow")).toEqual([2, 2]);
    const odd = {
      ...flaky("odd", {}, { retries: 3, scorers: {} }),
      task: () => (() => 1) as unknown as number,
    };
    expect(await evaluate(odd)).toMatchObject({ errors: 2 });
    expect(await attempts("odd")).toEqual([null, null]);
  });

  it.each([-1, 11, 0.5])("are no %s", async (retries) => {
    await expect(engine.evaluate(PROJECT, flaky("no", {}, { retries }))).rejects.toThrow("retries");
  });
});

describe("a pause between two calls", () => {
  it("ends at the signal and when the engine closes, without another call, at any number of trials at a time", async () => {
    for (const end of ["signal", "close"]) {
      const own = await openEngine();
      const stop = new AbortController();
      let calls = 0;
      const options = flaky(end, {}, { retries: 10, maxConcurrency: 2, signal: stop.signal });
      const running = own.evaluate(PROJECT, {
        ...options,
        task: () => {
          calls++;
          throw new Error("busy");
        },
      });
      running.catch(() => undefined);
      await until("two calls", () => calls === 2);
      if (end === "signal") stop.abort(new Error("enough"));
      else await own.close();
      await expect(running).rejects.toThrow(end === "signal" ? "enough" : `while "${end}" was running`);
      expect(calls).toBe(2);
      if (end === "signal") await own.close();
    }
  });
});
