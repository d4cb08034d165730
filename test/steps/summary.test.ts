import { describe, expect, it } from "vitest";
import type { EvalResultsRequest } from "../../src/index.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { loaded } from "../support/score-runs.ts";
import { agentCalls } from "./agent-calls.ts";

const SUMMARY = { include_rows: false, include_summary: true } as const;

async function summaryOf(calls: readonly object[], request: EvalResultsRequest) {
  const engine = await loaded(calls);
  const { summary } = await engine.queryEvalResults(PROJECT, { ...SUMMARY, ...request });
  return summary?.evaluations ?? [];
}

const stopped = (id: string, reason: string | undefined, scores: Readonly<Record<string, unknown>>) =>
  trial(id, { row: id }, scores, {
    parent_id: "run",
    attributes: reason === undefined ? {} : { evalcube: { stop_reason: reason } },
  });

const CALLS = [
  root("run"),
  stopped("t1", "limit:turns", { ok: true }),
  stopped("t2", "limit:turns", { ok: false }),
  stopped("t3", "limit:turns", {}),
  stopped("t4", "asked", { ok: false }),
  stopped("t5", undefined, { ok: true }),
  stopped("t6", "__proto__", { ok: true }),
  root("other"),
];

describe("why trials stopped", () => {
  it("is counted by reason and by success, the most frequent first, none last", async () => {
    const ids = { evaluation_call_ids: ["run", "other"] };
    const [run, other] = await summaryOf(CALLS, { ...ids, include_stop_reasons: true });
    expect(run?.stop_reasons).toEqual([
      { reason: "limit:turns", count: 3, passed: 1, failed: 1, no_value: 1 },
      { reason: "__proto__", count: 1, passed: 1, failed: 0, no_value: 0 },
      { reason: "asked", count: 1, passed: 0, failed: 1, no_value: 0 },
      { reason: null, count: 1, passed: 1, failed: 0, no_value: 0 },
    ]);
    expect(run?.other_stop_reason_count).toBe(0);
    expect(other).toMatchObject({ stop_reasons: [], other_stop_reason_count: 0 });
    expect((await summaryOf(CALLS, ids))[0]).not.toHaveProperty("stop_reasons");
  });

  it("is of the rows of the summary, and without a success of no kind", async () => {
    const kept = { query: { $expr: { $eq: [{ $getField: "inputs.row" }, { $literal: "t4" }] } } } as const;
    const [run] = await summaryOf(CALLS, {
      evaluation_call_ids: ["run"],
      include_stop_reasons: true,
      filters: [kept],
    });
    expect(run?.stop_reasons).toEqual([{ reason: "asked", count: 1, passed: 0, failed: 1, no_value: 0 }]);
    const bare = [root("run"), stopped("t1", "limit", { share: 0.5 })];
    const [none] = await summaryOf(bare, { evaluation_call_ids: ["run"], include_stop_reasons: true });
    expect(none?.stop_reasons).toEqual([
      { reason: "limit", count: 1, passed: null, failed: null, no_value: 1 },
    ]);
  });

  it("lists fifty reasons, and counts the trials of all others", async () => {
    const many = Array.from({ length: 53 }, (_, i) =>
      stopped(`m${i}`, `reason ${String(i).padStart(2, "0")}`, { ok: true }),
    );
    const [run] = await summaryOf([root("run"), ...many], {
      evaluation_call_ids: ["run"],
      include_stop_reasons: true,
    });
    expect(run?.stop_reasons?.map(({ reason }) => reason).slice(-1)).toEqual(["reason 49"]);
    expect(run?.other_stop_reason_count).toBe(3);
  });
});

describe("what steps count", () => {
  it("is told of an evaluation with steps, over its rows, and of no other", async () => {
    const calls = agentCalls([
      {
        id: "a1",
        of: "run",
        row: 1,
        passed: true,
        tools: [
          ["search", "a"],
          ["search", "a"],
        ],
      },
      {
        id: "a2",
        of: "run",
        row: 1,
        passed: false,
        tools: [
          ["search", "a", "Timeout"],
          ["open", "b", null],
        ],
      },
      { id: "a3", of: "run", row: 2, passed: true, tools: [["search", "a"]] },
      { id: "b1", of: "bare", row: 1, passed: true, tools: [] },
    ]);
    const [run, bare] = await summaryOf(calls, { evaluation_call_ids: ["run", "bare"], include_usage: true });
    const steps = run?.usage?.steps;
    expect(steps?.count).toMatchObject({ mean: 3, p50: 3, known_count: 2 });
    expect(steps?.chats).toMatchObject({ mean: 1.5, known_count: 2 });
    expect(steps?.tools).toMatchObject({ mean: 1.5, known_count: 2 });
    // The errors of the second attempt are unknown.
    expect(steps?.errors).toMatchObject({ mean: 0, known_count: 2 });
    expect(steps?.repeats).toMatchObject({ mean: 0.25, known_count: 2 });
    expect(bare?.usage).not.toHaveProperty("steps");
  });
});
