import { beforeEach, describe, expect, it } from "vitest";
import { openEngine, type Engine, type EvalResultsRequest } from "../../src/index.ts";
import { call, PROJECT, root, trial } from "../support/records.ts";
import { refusal } from "../support/refusal.ts";

let engine: Engine;
let given = 0;

beforeEach(async () => {
  given = 0;
  engine = await openEngine({ threads: 1 });
  await engine.ingestCalls([
    root("e"),
    ...["t1", "t2", "t3", "t4"].flatMap((id, i) => [
      trial(id, { q: i }, { judge: i / 4, ok: i > 1 }),
      call(`${id}-predict`, { parent_id: id, op_name: "model.predict", started_at: "2026-01-01T00:00:01Z" }),
      call(`${id}-judge`, { parent_id: id, op_name: "judge.score", attributes: { svc: { score: true } } }),
    ]),
  ]);
  return () => engine.close();
});

/** One record after the other; ids break ties of the clock. */
async function give(callId: string, type: string, payload: object, userId = "ann", others: object = {}) {
  const id = `f${String(++given).padStart(4, "0")}`;
  const record = {
    project_id: PROJECT,
    svc_ref: `svc:///${PROJECT}/call/${callId}`,
    feedback_type: type,
    payload,
    id,
  };
  await engine.feedback.create({ ...record, ...others }, { userId });
}

async function ask(request: EvalResultsRequest = {}) {
  return engine.queryEvalResults(PROJECT, {
    evaluation_call_ids: ["e"],
    include_feedback: true,
    include_summary: true,
    ...request,
  });
}

/** The feedback that each trial shows, by the id of the trial. */
async function shown(request: EvalResultsRequest = {}): Promise<Record<string, unknown>> {
  const { rows } = await ask(request);
  const trials = rows.flatMap((row) => row.evaluations.flatMap((evaluation) => evaluation.trials));
  return Object.fromEntries(
    trials.flatMap(({ predict_and_score_call_id: id, scores }) =>
      scores["feedback"] === undefined ? [] : [[id, scores["feedback"]]],
    ),
  );
}

describe("feedback as scores", () => {
  it("is on a trial by its own call or its predict call, and on no other", async () => {
    await give("t1", "rating", { value: 4 });
    await give("t2-predict", "rating", { value: 5 });
    await give("t3-judge", "rating", { value: 1 });
    await give("e", "rating", { value: 1 });
    await give("nobody", "rating", { value: 1 });
    await give("t4", "rating", { value: 3 }, "ann", { svc_ref: `svc:///${PROJECT}/object/t4:v1` });
    expect(await shown()).toEqual({ t1: { rating: 4 }, t2: { rating: 5 } });
    expect(await shown({ include_predict_and_score_children: false })).toEqual({ t1: { rating: 4 } });
  });

  it("is left out unless asked for", async () => {
    await give("t1", "rating", { value: 4 });
    expect(await shown({ include_feedback: false })).toEqual({});
  });

  it("reads value, the output of runnables, or the only member", async () => {
    const name = "svc:///acme/qa/object/quality:v1";
    await give("t1", "svc.annotation.quality", { value: true }, "ann", { annotation_ref: name });
    await give("t1", "svc.runnable.quality", { output: 0.5, value: 7 }, "ann", { runnable_ref: name });
    await give("t1", "thumbs", { "a/b~c": false });
    await give("t1", "two members", { a: 1, b: 2 });
    await give("t1", "value first", { value: 3, other: 4 });
    await give("t1", "text", { value: "4" });
    await give("t1", "object", { value: { deep: 1 } });
    await give("t1", "svc.note.1", { note: "good" });
    await give("t1", "svc.reaction.1", { emoji: "👍" });
    expect(await shown()).toEqual({
      t1: { "svc.annotation.quality": true, "svc.runnable.quality": 0.5, thumbs: false, "value first": 3 },
    });
  });

  it("does not count a number beyond a double's range", async () => {
    await give("t1", "rating", { value: 2 });
    const record = { project_id: PROJECT, svc_ref: `svc:///${PROJECT}/call/t2`, feedback_type: "rating" };
    const text = `${JSON.stringify(record).slice(0, -1)},"payload":{"value":1e400}}`;
    await engine.feedback.createJson(text, { userId: "ann" });
    expect(await shown()).toEqual({ t1: { rating: 2 } });
    const read = await engine.sql(PROJECT, "select payload::varchar as p from feedback order by created_at");
    expect(read.toArray().map((row) => String(row.p))).toEqual(['{"value":2}', '{"value":1e400}']);
  });

  it("counts the latest record of each giver", async () => {
    await give("t1", "rating", { value: 1 });
    await give("t1-predict", "rating", { value: 2 });
    await give("t1", "rating", { value: 5 }, "bob");
    await give("t1", "rating", { value: 4 }, "bob");
    await give("t1", "rating", { value: "withdrawn" }, "bob");
    await give("t2", "rating", { value: 1 }, "service", { creator: "cleo" });
    await give("t2", "rating", { value: 4 }, "service", { creator: "dan" });
    expect(await shown()).toEqual({ t1: { rating: 3 }, t2: { rating: 2.5 } });
  });

  it("is the mean of several givers, in whatever order they came", async () => {
    for (const [i, value] of [0.1, 0.2, 0.7].entries()) await give("t1", "rating", { value }, `giver${i}`);
    for (const [i, value] of [0.7, 0.1, 0.2].entries()) await give("t2", "rating", { value }, `giver${i}`);
    const { t1, t2 } = (await shown()) as Record<string, { rating: number }>;
    expect(t1?.rating).toBeCloseTo(1 / 3, 15);
    expect(t2).toEqual(t1);
  });

  it("is what most givers say of booleans, and nothing when as many say the other", async () => {
    await give("t1", "good", { value: true }, "ann");
    await give("t1", "good", { value: true }, "bob");
    await give("t1", "good", { value: false }, "cleo");
    await give("t2", "good", { value: true }, "ann");
    await give("t2", "good", { value: false }, "bob");
    await give("t3", "good", { value: true }, "ann");
    await give("t3", "good", { value: 0 }, "bob");
    expect(await shown()).toEqual({ t1: { good: true }, t3: { good: 0.5 } });
  });

  it("is in the summary as any score", async () => {
    await give("t1", "good", { value: true });
    await give("t2", "good", { value: false });
    await give("t3", "good", { value: true });
    await give("t1", "rating", { value: 1 });
    await give("t4", "rating", { value: 0.1 });
    const { summary } = await ask();
    const stats = summary?.evaluations[0]?.scorer_stats.filter(({ scorer_key }) => scorer_key === "feedback");
    expect(stats).toMatchObject([
      { path: "good", value_type: "binary", trial_count: 3, pass_true_count: 2, pass_rate: 2 / 3 },
      { path: "rating", value_type: "continuous", numeric_count: 2, numeric_mean: 0.55 },
    ]);
  });

  it("filters, sorts and is an operand of derived scores", async () => {
    await give("t1", "svc.annotation.q.1", { value: 4 }, "ann", {
      annotation_ref: "svc:///acme/qa/object/q.1:v1",
    });
    await give("t3", "svc.annotation.q.1", { value: 2 }, "ann", {
      annotation_ref: "svc:///acme/qa/object/q.1:v1",
    });
    const field = "scores.feedback.svc\\.annotation\\.q\\.1";
    const { rows } = await ask({ sort_by: [{ field }] });
    const ids = rows.map((row) => row.evaluations[0]?.trials[0]?.predict_and_score_call_id);
    expect(ids.slice(0, 2)).toEqual(["t3", "t1"]);
    const filter = { query: { $expr: { $gt: [{ $getField: field }, { $literal: 3 }] as [never, never] } } };
    expect((await ask({ filters: [filter] })).total_rows).toBe(1);
    const derived_scores = {
      off: `feedback["svc.annotation.q.1"] / 4 - judge`,
      sure: 'feedback["svc.annotation.q.1"] > 3',
    };
    const derived = await ask({ derived_scores, sort_by: [{ field: "scores.off", direction: "desc" }] });
    expect(derived.rows.slice(0, 2).map((row) => row.evaluations[0]?.trials[0]?.scores)).toMatchObject([
      { off: 1, sure: true },
      { off: 0, sure: false },
    ]);
  });

  it("changes the next answer", async () => {
    await give("t1", "good", { value: true });
    expect(await shown()).toEqual({ t1: { good: true } });
    await give("t1", "good", { value: false });
    await give("t2", "new", { value: 1 });
    expect(await shown()).toEqual({ t1: { good: false }, t2: { new: 1 } });
  });

  it("keeps to its project, and to the calls that are not hidden", async () => {
    await engine.ingestCalls([
      root("e", { project_id: "acme/other" }),
      trial("t1", { q: 1 }, {}, { project_id: "acme/other" }),
    ]);
    await give("t1", "good", { value: true }, "ann", {
      project_id: "acme/other",
      svc_ref: "svc:///acme/other/call/t1",
    });
    expect(await shown()).toEqual({});
    await give("t1", "good", { value: true });
    await give("t2", "good", { value: true });
    await engine.deleteCalls(PROJECT, ["t2"]);
    expect(await shown()).toEqual({ t1: { good: true } });
  });

  it("takes hostile types and values as they are", async () => {
    const types = ["'; DROP TABLE scores; --", `"quoted"`, "a.b", "\u{1F600}", "__proto__", " "];
    for (const [i, type] of types.entries()) await give("t1", type, { value: i });
    expect(JSON.parse(JSON.stringify((await shown())["t1"]))).toEqual(
      JSON.parse(`{${types.map((type, i) => `${JSON.stringify(type)}:${i}`).join(",")}}`),
    );
    await give("t2", "huge", { value: 1e308 }, "ann");
    await give("t2", "huge", { value: 1.7e308 }, "bob");
    expect((await shown())["t2"]).toBeUndefined();
  });

  it("is refused where scores of that name are stored", async () => {
    await engine.ingestCalls([trial("t9", { q: 9 }, { feedback: 1 })]);
    const error = await refusal(ask());
    expect(error).toMatchObject({ code: "unsupported_request", path: ["include_feedback"] });
  });
});

describe("people who disagree", () => {
  /** What each trial's feedback counts as, by the rules alone; `said` is in the order of time. */
  const WAYS = {
    majority: (said: readonly boolean[]) => {
      const yes = said.filter(Boolean).length;
      return 2 * yes === said.length ? undefined : 2 * yes > said.length;
    },
    mean: (said: readonly boolean[]) => said.filter(Boolean).length / said.length,
    latest: (said: readonly boolean[]) => said.at(-1),
  };
  const SAID: Readonly<Record<string, readonly boolean[]>> = {
    t1: [true, false],
    t2: [false, true, true],
    t3: [true, false, false, true],
    t4: [false],
  };

  beforeEach(async () => {
    for (const [id, said] of Object.entries(SAID))
      for (const [i, value] of said.entries()) await give(id, "correct", { value }, `user ${i}`);
  });

  it.each([
    [undefined, WAYS.majority],
    ["majority", WAYS.majority],
    ["mean", WAYS.mean],
    ["latest", WAYS.latest],
  ] as const)("count by %s", async (by, way) => {
    const expected = Object.entries(SAID).flatMap(([id, said]) => {
      const correct = way(said);
      return correct === undefined ? [] : [[id, { correct }]];
    });
    expect(await shown({ feedback_by: by })).toEqual(Object.fromEntries(expected));
  });

  it("evenly are counted by an agreement, and told of where they have no value", async () => {
    const asked = { evaluations: ["e"], a: "feedback.correct", b: "ok" };
    const told = await engine.agreement(PROJECT, asked);
    expect(told).toMatchObject({ n_both: 2, n_only_b: 2, n_tied: 2 });
    expect(told.warnings).toEqual([
      expect.stringMatching(/^2 trials have .* feedback_by "mean" or "latest"/),
    ]);
    for (const feedback_by of ["mean", "latest"] as const) {
      const decided = await engine.agreement(PROJECT, { ...asked, feedback_by });
      expect(decided).toMatchObject({ n_both: 4, n_only_b: 0, n_tied: 2, warnings: [] });
    }
    const filters = [
      { query: { $expr: { $lt: [{ $getField: "inputs.q" }, { $literal: 2 }] } } },
    ] satisfies EvalResultsRequest["filters"];
    expect(await engine.agreement(PROJECT, { ...asked, filters })).toMatchObject({ n_tied: 1 });
    expect(await engine.agreement(PROJECT, { ...asked, a: "judge" })).toMatchObject({
      n_tied: 0,
      warnings: [],
    });
  });

  it("are not of a way that there is not", async () => {
    const refused = await refusal(ask({ feedback_by: "median" as never }));
    expect(refused.message).toMatch(/feedback_by.*"majority"\|"mean"\|"latest"/);
  });
});
