import { describe, expect, it } from "vitest";
import type { Engine } from "../../src/index.ts";
import { call, EVALUATION, ndjson, PROJECT, root, stream, trial } from "../support/records.ts";
import { askAll, storedIds, storedTrials } from "../support/queries.ts";
import { refusal } from "../support/refusal.ts";
import { scratchEngine } from "../support/scratch.ts";

const TRIAL = trial("t", { q: 1 }, { acc: 1 });
const START = {
  id: "t",
  project_id: PROJECT,
  op_name: "Evaluation.predict_and_score",
  parent_id: EVALUATION,
  started_at: "2026-01-01T00:00:00Z",
  inputs: { example: { q: 1 } },
};
const END = {
  id: "t",
  project_id: PROJECT,
  ended_at: "2026-01-01T00:00:05Z",
  output: { output: "answer", scores: { acc: 1 } },
};
const PREDICT = call("p", { op_name: "Model.predict", parent_id: "t", ended_at: "2026-01-01T00:00:02.5Z" });
const SCORE = call("s", {
  op_name: "judge.score",
  parent_id: "t",
  attributes: { svc: { score: true } },
  output: { ok: true },
});

async function only(engine: Engine) {
  const trials = await storedTrials(engine);
  expect([...trials.keys()]).toEqual(["t"]);
  return trials.get("t");
}

/** Every order of a few items. */
function orders<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, i) => orders(items.toSpliced(i, 1)).map((rest) => [item].concat(rest)));
}

describe("records of one call", () => {
  it.each([
    ["its start, then its end", [START, END]],
    ["its end, then its start", [END, START]],
  ])("are one trial: %s", async (_order, records) => {
    for (const sources of [[records], records.map((record) => [record])]) {
      const engine = await scratchEngine();
      for (const source of sources)
        expect(await engine.ingestCalls(source)).toMatchObject({ stored: source.length });
      expect(await only(engine)).toMatchObject({ model_output: "answer", scores: { acc: 1 } });
    }
  });

  it("are no trial while only the end is known, and one without scores while only the start is", async () => {
    const engine = await scratchEngine();
    await engine.ingestCalls([END]);
    expect(await storedIds(engine)).toEqual([]);
    const other = await scratchEngine();
    await other.ingestCalls([START]);
    expect(await only(other)).toMatchObject({ model_output: null, scores: {}, model_latency_seconds: null });
  });

  it("replace members that are present and not null, and no others", async () => {
    const engine = await scratchEngine();
    await engine.ingestCalls([
      { ...TRIAL, display_name: "first", output: { output: 1, scores: { acc: 1 } } },
    ]);
    await engine.ingestCalls([{ ...START, inputs: null, output: null }]);
    expect(await only(engine)).toMatchObject({ model_output: 1, scores: { acc: 1 } });
    await engine.ingestCalls([{ id: "t", project_id: PROJECT, output: { scores: { other: 2 } } }]);
    expect(await only(engine)).toMatchObject({ model_output: null, scores: { other: 2 } });
    const { rows, summary } = await askAll(engine, { include_summary: true });
    expect(rows[0]?.raw_data_row).toEqual({ q: 1 });
    expect(summary?.evaluations[0]?.scorer_stats).toMatchObject([{ scorer_key: "other", trial_count: 1 }]);
  });

  it("move the trial when they change its row or its evaluation", async () => {
    const engine = await scratchEngine();
    await engine.ingestCalls([TRIAL]);
    await engine.ingestCalls([{ ...TRIAL, inputs: { example: { q: 2 } } }]);
    expect((await askAll(engine)).rows).toMatchObject([{ raw_data_row: { q: 2 } }]);
    await engine.ingestCalls([{ ...TRIAL, parent_id: "other" }]);
    expect(await storedIds(engine)).toEqual([]);
    expect((await askAll(engine, { evaluation_call_ids: ["other"] })).total_rows).toBe(1);
    await engine.ingestCalls([{ ...TRIAL, op_name: "something.else" }]);
    expect((await askAll(engine, { evaluation_call_ids: ["other"] })).total_rows).toBe(0);
  });

  it("are told apart by project", async () => {
    const engine = await scratchEngine();
    await engine.ingestCalls([TRIAL, { ...TRIAL, project_id: "acme/other", output: { scores: { acc: 0 } } }]);
    expect(await only(engine)).toMatchObject({ scores: { acc: 1 } });
    const other = await engine.queryEvalResults("acme/other", { evaluation_call_ids: [EVALUATION] });
    expect(other.rows[0]?.evaluations[0]?.trials).toMatchObject([{ scores: { acc: 0 } }]);
  });

  it("are refused when together they lack a start and an end", async () => {
    const engine = await scratchEngine();
    const bare = { id: "t", project_id: PROJECT, output: 1 };
    expect(await refusal(engine.ingestCalls([TRIAL, { ...bare, id: "u" }]))).toMatchObject({
      position: 2,
      path: ["op_name"],
    });
    await engine.ingestCalls([TRIAL]);
    expect(await engine.ingestCalls([bare])).toMatchObject({ stored: 1 });
  });
});

describe("loading again", () => {
  const RECORDS = [root(), START, END, PREDICT, SCORE];

  it("changes nothing, whatever the spelling of blanks", async () => {
    const engine = await scratchEngine();
    await engine.ingestCalls(RECORDS);
    const before = await engine.queryEvalResultsJson(PROJECT, {
      evaluation_call_ids: [EVALUATION],
      include_summary: true,
    });
    expect(await engine.ingestCalls(RECORDS)).toMatchObject({ received: 5, stored: 0, unchanged: 5 });
    expect(await engine.ingestCalls(stream([ndjson(RECORDS)]))).toMatchObject({ stored: 0, unchanged: 5 });
    const after = await engine.queryEvalResultsJson(PROJECT, {
      evaluation_call_ids: [EVALUATION],
      include_summary: true,
    });
    expect(after).toBe(before);
  });

  it("counts a record that comes twice in one source once", async () => {
    const engine = await scratchEngine();
    expect(await engine.ingestCalls([TRIAL, TRIAL])).toMatchObject({ received: 2, stored: 1, unchanged: 1 });
  });
});

describe("children of a trial", () => {
  const RECORDS = [root(), START, END, PREDICT, SCORE];
  const SETTLED = {
    predict_call_id: "p",
    model_latency_seconds: 2.5,
    scores: { acc: 1, judge: { ok: true } },
    scorer_call_ids: { judge: "s" },
  };

  const everyFourth = orders(RECORDS).filter((_order, i) => i % 4 === 0);

  it("make the same trial in whatever order they come, each in a source of its own", async () => {
    const engine = await scratchEngine();
    for (const [i, order] of everyFourth.entries()) {
      const project_id = `acme/${i}`;
      for (const record of order) await engine.ingestCalls([{ ...record, project_id }]);
      const { rows } = await engine.queryEvalResults(project_id, { evaluation_call_ids: [EVALUATION] });
      expect({ order, rows }).toMatchObject({ rows: [{ evaluations: [{ trials: [SETTLED] }] }] });
    }
  });

  it("update a trial that is loaded already, and its statistics", async () => {
    const engine = await scratchEngine();
    await engine.ingestCalls([root(), TRIAL]);
    await engine.ingestCalls([SCORE]);
    await engine.ingestCalls([PREDICT]);
    expect(await only(engine)).toMatchObject(SETTLED);
    const { summary } = await askAll(engine, { include_summary: true });
    expect(summary?.evaluations[0]?.scorer_stats).toMatchObject([
      { scorer_key: "acc", path: null, trial_count: 1 },
      { scorer_key: "judge", path: "ok", trial_count: 1, pass_true_count: 1 },
    ]);
  });
});

describe("a deleted call", () => {
  it("is seen no more, nor are its descendants, whatever their order", async () => {
    const engine = await scratchEngine();
    await engine.ingestCalls([root(), TRIAL, PREDICT, SCORE, trial("u", 2)]);
    expect(await engine.deleteCalls(PROJECT, ["s"])).toEqual({ hidden: 1 });
    expect((await storedTrials(engine)).get("t")).toMatchObject({ scores: { acc: 1 }, predict_call_id: "p" });
    await engine.deleteCalls(PROJECT, ["t"]);
    expect(await storedIds(engine)).toEqual(["u"]);
    await engine.deleteCalls(PROJECT, [EVALUATION]);
    expect(await engine.listEvaluations(PROJECT)).toEqual([]);
    expect(await askAll(engine)).toMatchObject({ rows: [], total_rows: 0, warnings: [expect.any(String)] });
  });

  it("stays hidden when it comes again, and hides descendants that come later", async () => {
    const engine = await scratchEngine();
    await engine.ingestCalls([root()]);
    await engine.deleteCalls(PROJECT, [EVALUATION]);
    await engine.ingestCalls([root(), TRIAL]);
    await engine.ingestCalls([PREDICT]);
    expect(await storedIds(engine)).toEqual([]);
    expect(await engine.listEvaluations(PROJECT)).toEqual([]);
  });

  it("may be deleted before it comes, by a record too", async () => {
    const engine = await scratchEngine();
    await engine.ingestCalls([{ id: "t", project_id: PROJECT, deleted_at: "2026-01-02T00:00:00Z" }]);
    await engine.deleteCalls(PROJECT, ["u"]);
    await engine.ingestCalls([TRIAL, trial("u", 1), trial("v", 2)]);
    expect(await storedIds(engine)).toEqual(["v"]);
  });

  it("hides a grandchild that arrived before its parent", async () => {
    const engine = await scratchEngine();
    await engine.ingestCalls([SCORE]);
    await engine.deleteCalls(PROJECT, [EVALUATION]);
    await engine.ingestCalls([TRIAL]);
    await engine.ingestCalls([{ ...TRIAL, id: "t2" }]);
    expect(await storedIds(engine)).toEqual([]);
  });

  it("of one project hides nothing of another", async () => {
    const engine = await scratchEngine();
    await engine.ingestCalls([TRIAL]);
    await engine.deleteCalls("acme/other", ["t", EVALUATION]);
    expect(await storedIds(engine)).toEqual(["t"]);
  });
});
