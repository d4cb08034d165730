import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine, type EvalResultsRequest } from "../../src/index.ts";
import { refusal } from "../support/refusal.ts";
import { asked, comparedBy, countedRuns, PAIRS, PROJECT, RUNS } from "./counted-runs.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ threads: 1 });
  await engine.ingestCalls(countedRuns());
});
afterAll(() => engine.close());

type Filter = NonNullable<EvalResultsRequest["filters"]>[number];

async function digests(request: Partial<EvalResultsRequest>): Promise<[number, string[]]> {
  const whole = { evaluation_call_ids: RUNS, ...request };
  const { rows, total_rows } = await engine.queryEvalResults(PROJECT, whole);
  return [total_rows, rows.map(({ row_digest }) => row_digest)];
}

async function compared(scorer: string): Promise<object[]> {
  const { comparisons } = await engine.compareEvaluations(PROJECT, comparedBy(scorer));
  return comparisons.map(({ scorer_key: _scorer, path: _path, ...found }) => found);
}

describe.each(PAIRS)("%s", (field, score) => {
  it("sorts, filters, moves and is missing as the same numbers do that are stored as scores", async () => {
    for (const [i, request] of asked(field).entries())
      expect(await digests(request), JSON.stringify(request)).toEqual(await digests(asked(score)[i] ?? {}));
  });

  it("is compared as they are", async () => {
    const found = await compared(field);
    expect(found).toHaveLength(1);
    expect(found).toEqual(await compared(score.slice("scores.".length)));
  });
});

describe("dimensions of steps", () => {
  it("are in answers only where they are named", async () => {
    const request = { baseline: "one", candidates: ["two"] };
    const all = JSON.stringify(await engine.compareEvaluations(PROJECT, request));
    expect(all).not.toContain('"steps"');
    const found = await engine.queryEvalResults(PROJECT, {
      evaluation_call_ids: RUNS,
      include_summary: true,
      filters: [{ query: { $expr: { $gte: [{ $getField: "steps.count" }, { $literal: 1 }] } } }],
    });
    expect(JSON.stringify(found.summary)).not.toContain('"steps"');
  });

  it("that are unknown are refused with near names, and tools that nobody called are told", async () => {
    const sort = (field: string) =>
      engine.queryEvalResults(PROJECT, { evaluation_call_ids: RUNS, sort_by: [{ field: field as never }] });
    expect(await refusal(sort("steps.counts"))).toMatchObject({
      message: expect.stringContaining('did you mean "steps.count"'),
    });
    const compare = engine.compareEvaluations(PROJECT, {
      baseline: "one",
      candidates: ["two"],
      scorers: ["steps.error"],
    });
    expect(await refusal(compare)).toMatchObject({
      message: expect.stringContaining('did you mean "steps.errors"'),
    });
    expect((await sort("steps.tool.serch.calls")).warnings).toEqual([
      'steps: no trial of the requested evaluations calls the tool "serch"; there are "search"',
    ]);
  });

  it("and why trials ended are fields of text", async () => {
    const limit: Filter = {
      query: { $expr: { $eq: [{ $getField: "stop_reason" }, { $literal: "limit" }] } },
    };
    const [total] = await digests({ filters: [limit] });
    const byCount: Filter = { query: { $expr: { $gt: [{ $getField: "steps.count" }, { $literal: 4 }] } } };
    expect(await digests({ filters: [limit] })).toEqual(await digests({ filters: [byCount] }));
    expect(total).toBeGreaterThan(0);
    const sorted = await digests({ sort_by: [{ field: "stop_reason" }] });
    expect(sorted[1].slice(0, total).toSorted()).toEqual((await digests({ filters: [limit] }))[1].toSorted());
  });
});
