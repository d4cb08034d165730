import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { PROJECT } from "../support/records.ts";
import { refusal } from "../support/refusal.ts";
import { scratchEngine, scratchPath } from "../support/scratch.ts";

const SECOND = (n: number) => `2026-01-01T00:00:${String(n).padStart(2, "0")}.000000Z`;

const start = (id: string, others: object = {}) => ({
  id,
  project_id: PROJECT,
  op_name: "step",
  started_at: SECOND(1),
  trace_id: "trace",
  ...others,
});
const end = (id: string, others: object = {}) => ({
  id,
  project_id: PROJECT,
  ended_at: SECOND(5),
  ...others,
});
const rename = (id: string, display_name: string) => ({ id, project_id: PROJECT, display_name });

async function load(engine: Engine, ...records: readonly object[]): Promise<string[]> {
  const outcomes: string[] = [];
  for (const record of records) {
    const { stored } = await engine.ingestCalls([record], { partial: true });
    outcomes.push(stored === 1 ? "stored" : "unchanged");
  }
  return outcomes;
}

/** The calls of the project as JSON, by id. */
async function calls(engine: Engine): Promise<Map<string, Record<string, unknown>>> {
  const table = await engine.sql(PROJECT, "SELECT id, record::VARCHAR AS record FROM calls");
  return new Map(
    table.toArray().map((one) => {
      return [String(one["id"]), JSON.parse(String(one["record"])) as Record<string, unknown>];
    }),
  );
}

async function only(engine: Engine) {
  return (await calls(engine)).get("c");
}

describe("parts of a call", () => {
  it("are no call before the start, and are stored: a process that ends loses neither ends nor names", async () => {
    const path = scratchPath();
    const first = await openEngine({ path, threads: 1 });
    await load(first, end("c", { output: { a: 1 } }), rename("c", "renamed"), rename("d", "other"));
    expect(await calls(first)).toEqual(new Map());
    await first.close();
    const second = await openEngine({ path, threads: 1 });
    await load(second, start("c", { display_name: "started" }), start("d"));
    expect(await only(second)).toMatchObject({ display_name: "renamed", output: { a: 1 }, op_name: "step" });
    expect((await calls(second)).get("d")).toMatchObject({ display_name: "other" });
    await second.close();
  });

  it("change nothing when they come again, in whatever order", async () => {
    const parts = [
      start("c"),
      end("c", { output: 1, exception: null }),
      rename("c", "n"),
      start("d", end("d")),
    ];
    const engine = await scratchEngine();
    expect(await load(engine, ...parts)).toEqual(["stored", "stored", "stored", "stored"]);
    const before = await calls(engine);
    expect(new Set(await load(engine, ...parts.toReversed(), ...parts))).toEqual(new Set(["unchanged"]));
    expect(await calls(engine)).toEqual(before);
  });

  it("a start adds nothing to a whole call, and a whole call replaces what a start said", async () => {
    const whole = start("c", { ...end("c"), inputs: { x: 2 }, output: 3 });
    const early = start("c", { inputs: { x: 1 }, display_name: "early" });
    for (const order of [
      [whole, early],
      [early, whole],
    ]) {
      const engine = await scratchEngine();
      await load(engine, ...order);
      expect(await only(engine)).toMatchObject({ inputs: { x: 2 }, output: 3, ended_at: SECOND(5) });
    }
  });

  it("of two ends the later stands with all that it has and has not; at the same time the last to arrive", async () => {
    const failed = end("c", { exception: "boom", summary: { a: 1 } });
    const later = end("c", { ended_at: SECOND(6), output: "done" });
    for (const order of [
      [failed, start("c"), later],
      [later, failed, start("c")],
    ]) {
      const engine = await scratchEngine();
      await load(engine, ...order);
      const call = await only(engine);
      expect(call).toMatchObject({ output: "done", ended_at: SECOND(6) });
      expect(call).not.toHaveProperty("exception");
      expect(call).not.toHaveProperty("summary");
    }
    const engine = await scratchEngine();
    await load(engine, start("c"), failed, end("c", { output: 2 }));
    expect(await only(engine)).toMatchObject({ output: 2 });
  });

  it("a renaming stands over the names of the start and of the end, and an empty one takes the name away", async () => {
    const engine = await scratchEngine();
    const named = start("c", { display_name: "start" });
    await load(engine, named, end("c", { display_name: "end" }));
    expect(await only(engine)).toMatchObject({ display_name: "end" });
    await load(engine, rename("c", "mine"), { ...named, ...end("c") }, end("c", { display_name: "end" }));
    expect(await only(engine)).toMatchObject({ display_name: "mine" });
    await load(engine, rename("c", ""), named, end("c", { display_name: "end" }));
    expect(await only(engine)).not.toHaveProperty("display_name");
    await load(engine, rename("d", ""), start("d", { display_name: "start" }));
    expect((await calls(engine)).get("d")).not.toHaveProperty("display_name");
  });

  it("that hold nothing are refused, and so are parts where whole records are loaded", async () => {
    const engine = await scratchEngine();
    const empty = { id: "c", project_id: PROJECT };
    expect((await refusal(engine.ingestCalls([empty], { partial: true }))).message).toContain("op_name");
    expect((await refusal(engine.ingestCalls([rename("c", "n")]))).message).toContain("op_name");
    const wrong = engine.ingestCalls([], { partial: "yes" as never });
    expect((await refusal(wrong)).message).toContain("partial");
  });

  it("can be deleted, before and after the start", async () => {
    const engine = await scratchEngine();
    await load(engine, end("c"), rename("d", "n"));
    await engine.deleteCalls(PROJECT, ["c", "d"]);
    await load(engine, start("c"), start("d"));
    expect(await calls(engine)).toEqual(new Map());
  });
});

const ROOT = { op_name: "Evaluation.evaluate" };
const trialStart = (n: number) =>
  start(`t${n}`, {
    op_name: "Evaluation.predict_and_score",
    parent_id: "e",
    started_at: SECOND(n),
    inputs: { example: { q: n % 3 }, model: "m" },
  });
const PARTS = [
  start("e", { ...ROOT, display_name: "first" }),
  end("e", { output: { mean: 1 } }),
  rename("e", "final"),
  ...[1, 2, 3, 4, 5].flatMap((n) => {
    const ended = end(`t${n}`, { ended_at: SECOND(n + 9), output: { output: n, scores: { acc: n / 10 } } });
    const child = { op_name: "Model.predict", parent_id: `t${n}`, started_at: SECOND(n) };
    return [
      trialStart(n),
      ended,
      end(`t${n}`, { ended_at: SECOND(n + 8), output: null, exception: "first try" }),
      n % 2 === 0 ? { ...trialStart(n), ...ended } : trialStart(n),
      start(`p${n}`, child),
      end(`p${n}`, { ended_at: SECOND(n + 2), output: n, summary: { usage: { m: { total_tokens: n } } } }),
    ];
  }),
];

async function answer(engine: Engine): Promise<string> {
  const request = { evaluation_call_ids: ["e"], include_raw_data_rows: true, include_summary: true };
  return engine.queryEvalResultsJson(PROJECT, request);
}

describe("parts of a whole evaluation", () => {
  it("give the same answer in every order, in batches of every size", async () => {
    const whole = await scratchEngine();
    await whole.ingestCalls(PARTS, { partial: true });
    const expected = await answer(whole);
    expect(expected).toContain('"display_name":"final"');
    expect(JSON.parse(expected)).toMatchObject({ total_rows: 3 });
    const shuffled = fc.shuffledSubarray(PARTS, { minLength: PARTS.length });
    await fc.assert(
      fc.asyncProperty(shuffled, fc.integer({ min: 1, max: 40 }), async (parts, size) => {
        const engine = await openEngine({ threads: 1 });
        try {
          for (let at = 0; at < parts.length; at += size)
            await engine.ingestCalls(parts.slice(at, at + size), { partial: true });
          expect(await answer(engine)).toBe(expected);
          await engine.ingestCalls(parts.toReversed(), { partial: true });
          expect(await answer(engine)).toBe(expected);
        } finally {
          await engine.close();
        }
      }),
      { numRuns: 12 },
    );
  });

  it("are seen while the evaluation runs, with the trials that have arrived", async () => {
    const engine = await scratchEngine();
    await load(engine, trialStart(1), start("e", ROOT), trialStart(2));
    expect(await engine.listEvaluations(PROJECT)).toMatchObject([
      { id: "e", status: "running", trial_count: 2 },
    ]);
    await load(engine, end("t1", { output: { output: 1, scores: { acc: 1 } } }), end("e"));
    expect(await engine.listEvaluations(PROJECT)).toMatchObject([{ id: "e", status: "finished" }]);
    expect(await answer(engine)).toContain('"acc":1');
  });
});
