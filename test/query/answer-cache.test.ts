import { describe, expect, it } from "vitest";
import { createAnswerCache, LONGEST_KEPT_ANSWER } from "../../src/engine/base/answer-cache.ts";
import { openEngine } from "../../src/index.ts";
import { root, trial, PROJECT } from "../support/records.ts";

const REQUEST = { evaluation_call_ids: ["e"], include_summary: true };

/** A trial of a row in each of two evaluations. */
function rowOf(q: number, acc: number) {
  return [
    trial(`e${q}`, { q }, { acc: 0 }, { parent_id: "e" }),
    trial(`f${q}`, { q }, { acc }, { parent_id: "f" }),
  ];
}

describe("an engine asked the same again", () => {
  it("answers the same bytes, and after a write what is stored then", async () => {
    const engine = await openEngine();
    await engine.ingestCalls([root("e"), trial("t1", { q: 1 }, { acc: 1 })]);
    const first = await engine.queryEvalResultsJson(PROJECT, REQUEST);
    expect(await engine.queryEvalResultsJson(PROJECT, REQUEST)).toBe(first);
    await engine.ingestCalls([trial("t2", { q: 2 }, { acc: 0 })]);
    expect(JSON.parse(await engine.queryEvalResultsJson(PROJECT, REQUEST))).toMatchObject({ total_rows: 2 });
    await engine.deleteCalls(PROJECT, ["t1"]);
    expect(JSON.parse(await engine.queryEvalResultsJson(PROJECT, REQUEST))).toMatchObject({ total_rows: 1 });
    await engine.close();
  });

  it("compares the same again as before, and after a write what is stored then", async () => {
    const engine = await openEngine();
    await engine.ingestCalls([root("e"), root("f"), ...rowOf(1, 1), ...rowOf(2, 0)]);
    const request = { baseline: "e", candidates: ["f"] };
    const first = await engine.compareEvaluations(PROJECT, request);
    const again = await engine.compareEvaluations(PROJECT, request);
    expect(again).toEqual(first);
    (again.comparisons as unknown[]).length = 0;
    expect(await engine.compareEvaluations(PROJECT, request)).toEqual(first);
    const signal = AbortSignal.abort(new Error("gone"));
    await expect(engine.compareEvaluations(PROJECT, request, { signal })).rejects.toThrow("gone");
    await engine.ingestCalls(rowOf(3, 1));
    const { comparisons } = await engine.compareEvaluations(PROJECT, request);
    expect(comparisons[0]).toMatchObject({ n_common: 3 });
    await engine.close();
    await expect(engine.compareEvaluations(PROJECT, request)).rejects.toThrow("the engine is closed");
  });

  it("lists the same evaluations as before, and after a write those that are stored then", async () => {
    const engine = await openEngine();
    await engine.ingestCalls([root("e"), ...rowOf(1, 1)]);
    const first = await engine.listEvaluations(PROJECT);
    const again = await engine.listEvaluations(PROJECT);
    expect(again).toEqual(first);
    Object.assign(again[0] ?? {}, { display_name: "changed" });
    again.length = 1;
    expect(await engine.listEvaluations(PROJECT)).toEqual(first);
    expect(await engine.listEvaluations("acme/other")).toEqual([]);
    await engine.ingestCalls([root("g"), ...rowOf(2, 0)]);
    const counts = (await engine.listEvaluations(PROJECT)).map((one) => `${one.id} ${one.trial_count}`);
    expect(counts).toEqual(["e 2", "g 0", "f 2"]);
    await engine.close();
    await expect(engine.listEvaluations(PROJECT)).rejects.toThrow("the engine is closed");
  });

  it("tells projects, requests and 0 from -0 apart", async () => {
    const engine = await openEngine();
    await engine.ingestCalls([root("e"), trial("t1", { q: "0" }, { acc: 1 })]);
    const named = (value: number) => ({
      ...REQUEST,
      filters: [{ query: { $expr: { $eq: [{ $getField: "inputs.q" }, { $literal: value }] } } }],
    });
    const alone = async (value: number) => {
      const fresh = await openEngine({ keepAnswers: false });
      await fresh.ingestCalls([root("e"), trial("t1", { q: "0" }, { acc: 1 })]);
      const answer = await fresh.queryEvalResultsJson(PROJECT, named(value));
      await fresh.close();
      return answer;
    };
    for (const value of [0, -0, 1]) {
      expect(await engine.queryEvalResultsJson(PROJECT, named(value))).toBe(await alone(value));
    }
    expect(JSON.parse(await engine.queryEvalResultsJson("acme/other", REQUEST))).toMatchObject({
      total_rows: 0,
    });
    await engine.close();
  });

  it("refuses once it is closed, and stops for a signal", async () => {
    const engine = await openEngine();
    await engine.ingestCalls([root("e"), trial("t1", { q: 1 }, { acc: 1 })]);
    await engine.queryEvalResultsJson(PROJECT, REQUEST);
    const signal = AbortSignal.abort(new Error("gone"));
    await expect(engine.queryEvalResultsJson(PROJECT, REQUEST, { signal })).rejects.toThrow("gone");
    await engine.close();
    await expect(engine.queryEvalResultsJson(PROJECT, REQUEST)).rejects.toThrow("the engine is closed");
  });
});

describe("kept answers", () => {
  it("are forgotten with the next write", () => {
    const cache = createAnswerCache();
    expect(cache.find("a", 1)).toBeUndefined();
    cache.keep("a", 1, "one");
    expect(cache.find("a", 1)).toBe("one");
    expect(cache.find("a", 2)).toBeUndefined();
    cache.keep("a", 1, "late");
    expect(cache.find("a", 2)).toBeUndefined();
  });

  it("take bounded room: what was asked longest ago goes first, and long answers are not kept", () => {
    const cache = createAnswerCache();
    cache.find("", 1);
    const answer = "x".repeat(LONGEST_KEPT_ANSWER);
    for (let i = 0; i < 100; i++) {
      cache.keep(`k${i}`, 1, answer);
      cache.find("k0", 1);
    }
    const found = Array.from({ length: 100 }, (_, i) => cache.find(`k${i}`, 1)).filter((one) => one);
    expect(found.length).toBe(15);
    expect(cache.find("k0", 1)).toBe(answer);
    cache.keep("long", 1, `${answer}x`);
    expect(cache.find("long", 1)).toBeUndefined();
  });
});
