import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openEngine, type Engine, type EvalResultsRequest, type ScorerDetails } from "../../src/index.ts";
import { call, PROJECT, root, trial } from "../support/records.ts";

let engine: Engine;
let given = 0;

const TRIALS = ["t1", "t2", "t3", "t4", "t5", "t6"];

/** Two runs over the same rows. */
function calls(): object[] {
  return ["e", "f"].flatMap((id) => [
    root(id),
    ...TRIALS.flatMap((name, i) => [
      trial(`${id}-${name}`, { q: i }, { judge: i / 4 }, { parent_id: id }),
      call(`${id}-${name}-predict`, { parent_id: `${id}-${name}`, op_name: "model.predict" }),
    ]),
  ]);
}

async function open(): Promise<void> {
  given = 0;
  engine = await openEngine({ threads: 1 });
  await engine.ingestCalls(calls());
}

const MONITOR = "wandb.agent_monitor";
const by = (name: string) => ({ runnable_ref: scorer(name) });
const scorer = (name: string, kind = "object") => `svc:///${PROJECT}/${kind}/${name}:v1`;

/** One record after the other; ids break ties of the clock. */
async function rate(
  on: string,
  ratings: ScorerDetails["scorer_ratings"],
  others: object = {},
  userId = "ann",
): Promise<void> {
  const record = {
    project_id: PROJECT,
    svc_ref: `svc:///${PROJECT}/call/${on}`,
    feedback_type: MONITOR,
    payload: {},
    id: `f${String(++given).padStart(4, "0")}`,
    scorer_ratings: ratings,
  };
  await engine.feedback.create({ ...record, ...others }, { userId });
}

const ask = (request: EvalResultsRequest = {}) =>
  engine.queryEvalResults(PROJECT, {
    evaluation_call_ids: ["e"],
    include_feedback: true,
    include_summary: true,
    ...request,
  });

/** What people said of each trial of `e`, by the name of the trial. */
async function shown(request: EvalResultsRequest = {}): Promise<Record<string, unknown>> {
  const { rows } = await ask(request);
  const trials = rows.flatMap((row) => row.evaluations.flatMap((evaluation) => evaluation.trials));
  return Object.fromEntries(
    trials.flatMap(({ predict_and_score_call_id: id, scores }) =>
      scores["feedback"] === undefined ? [] : [[id.slice(2), scores["feedback"]]],
    ),
  );
}

/** A record of feedback as JSON text, with a member `weave` that nothing checks. */
const record = (weave: string) =>
  `{"project_id":"${PROJECT}","svc_ref":"svc:///${PROJECT}/call/e-t1","feedback_type":"x","payload":{},"weave":${weave}}`;

/** The rows in the order of an answer. */
const order = (rows: Awaited<ReturnType<typeof ask>>["rows"]) =>
  rows.map((row) => (row.raw_data_row as { q: number }).q);

describe("ratings", () => {
  beforeEach(async () => {
    await open();
    return () => engine.close();
  });

  it("are scores of the trial whose call, or predict call, they are on, as they are", async () => {
    await rate("e-t1", { _rating_: 0.25, tone: -3, big: 1e300 });
    await rate("e-t2-predict", { _rating_: 7 });
    await rate("e", { _rating_: 1 });
    await rate("e-t3", { _rating_: 1 }, { svc_ref: scorer("t3") });
    const first = { [`${MONITOR}:_rating_`]: 0.25, [`${MONITOR}:tone`]: -3, [`${MONITOR}:big`]: 1e300 };
    expect(await shown()).toEqual({ t1: first, t2: { [`${MONITOR}:_rating_`]: 7 } });
    expect(await shown({ include_predict_and_score_children: false })).toEqual({ t1: first });
    expect(await shown({ include_feedback: false })).toEqual({});
  });

  it("stand beside what the payload says, and tags and confidences are none", async () => {
    await rate("e-t1", { quality: 0.5 }, { feedback_type: "stars", payload: { value: true } });
    await rate("e-t2", null, {
      payload: { value: "text" },
      scorer_tags: ["a"],
      scorer_rating_confidences: { x: 1 },
    });
    await rate("e-t3", {}, { feedback_type: "wandb.note.1", payload: { note: "x" } });
    expect(await shown()).toEqual({ t1: { stars: true, "stars:quality": 0.5 } });
    const { summary } = await ask();
    const stats = summary?.evaluations[0]?.scorer_stats.filter(({ scorer_key: key }) => key === "feedback");
    expect(stats?.map(({ path, value_type: type }) => [path, type])).toEqual([
      ["stars", "binary"],
      ["stars:quality", "continuous"],
    ]);
  });

  it("of a user by one scorer count once, the latest; by several they count each", async () => {
    await rate("e-t1", { a: 1 }, by("judge"));
    await rate("e-t1", { a: 3 }, by("judge"));
    // Another version of a scorer is the same scorer.
    await rate("e-t1", { a: 4, b: 9 }, { runnable_ref: `svc:///${PROJECT}/object/judge:v2` });
    await rate("e-t1", { a: 10 }, by("critic"));
    await rate("e-t1", { b: 1 }, by("judge"));
    await rate("e-t1", { a: 1 });
    await rate("e-t1", { a: 5 });
    await rate("e-t1", { a: 21 }, by("judge"), "bob");
    const [a, b] = [`${MONITOR}:a`, `${MONITOR}:b`];
    expect(await shown()).toEqual({ t1: { [a]: (4 + 10 + 5 + 21) / 4, [b]: 1 } });
    expect(await shown({ feedback_by: "mean" })).toEqual({ t1: { [a]: 10, [b]: 1 } });
    expect(await shown({ feedback_by: "latest" })).toEqual({ t1: { [a]: 21, [b]: 1 } });
  });

  it("that are no number are no score, and no name ends an answer", async () => {
    const names = `{"__proto__":1,"a.b":2,"":3,"q\\"uote":4,"back\\\\slash":5,"sl/ash~":6,"\\u0000":7,"💥":8}`;
    await engine.feedback.createJson(record(`{"scorer_ratings":${names}}`), { userId: "ann" });
    await engine.feedback.createJson(
      record(
        '{"scorer_ratings":{"text":"1","no":true,"null":null,"list":[1],"beyond":1e400,"ok":12345678901234567890}}',
      ),
      { userId: "bob" },
    );
    for (const odd of ['"text"', "[1]", "1", "{}"])
      await engine.feedback.createJson(record(`{"scorer_ratings":${odd}}`), { userId: "cy" });
    const { t1 } = await shown();
    expect(t1).toMatchObject({
      "x:__proto__": 1,
      "x:a.b": 2,
      "x:": 3,
      'x:q"uote': 4,
      "x:back\\slash": 5,
      "x:sl/ash~": 6,
      "x:💥": 8,
      "x:ok": 12345678901234567000n,
    });
    for (const name of ["text", "no", "null", "list", "beyond"]) expect(t1).not.toHaveProperty([`x:${name}`]);
  });

  it("come and go with their record", async () => {
    await rate("e-t1", { a: 1 });
    expect(await shown()).toEqual({ t1: { [`${MONITOR}:a`]: 1 } });
    await rate("e-t1", { a: 2 });
    expect(await shown()).toEqual({ t1: { [`${MONITOR}:a`]: 2 } });
    await engine.feedback.purge(PROJECT, { ids: ["f0001", "f0002"] });
    expect(await shown()).toEqual({});
  });
});

describe("ratings are dimensions like any other", () => {
  const FIELD = String.raw`scores.feedback.wandb\.agent_monitor:_rating_`;
  const DIMENSION = String.raw`feedback.wandb\.agent_monitor:_rating_`;
  const values: Readonly<Record<string, readonly number[]>> = {
    e: [1, 2, 3, 4, 5, 6],
    f: [3, 3, 5, 5, 7, 7],
  };

  beforeAll(async () => {
    await open();
    for (const [id, ratings] of Object.entries(values))
      for (const [i, rating] of ratings.entries()) {
        await rate(`${id}-${TRIALS[i]}`, { _rating_: rating - 1 }, { runnable_ref: scorer("a") });
        await rate(`${id}-${TRIALS[i]}`, { _rating_: rating + 1 }, { runnable_ref: scorer("b", "op") });
      }
  });
  afterAll(() => engine.close());

  it("in summaries, filters and orders", async () => {
    const { summary } = await ask({ include_row_counts: true });
    const stats = summary?.evaluations[0]?.scorer_stats.find(({ scorer_key: key }) => key === "feedback");
    expect(stats).toMatchObject({ path: `${MONITOR}:_rating_`, value_type: "continuous", numeric_mean: 3.5 });
    const above = { $expr: { $gt: [{ $getField: FIELD }, { $literal: 3 }] as const } };
    const filtered = await ask({ filters: [{ query: above }], include_raw_data_rows: true });
    expect(order(filtered.rows).toSorted((a, b) => a - b)).toEqual([3, 4, 5]);
    const sorted = await ask({
      sort_by: [{ field: FIELD as `scores.${string}`, direction: "desc" }],
      include_raw_data_rows: true,
    });
    expect(order(sorted.rows)).toEqual([5, 4, 3, 2, 1, 0]);
  });

  it("in scores that are computed from them", async () => {
    const { summary } = await ask({ derived_scores: { twice: `feedback["${MONITOR}:_rating_"] * 2` } });
    const twice = summary?.evaluations[0]?.scorer_stats.find(({ scorer_key: key }) => key === "twice");
    expect(twice?.numeric_mean).toBe(7);
  });

  it("in comparisons, leaderboards and agreement", async () => {
    const { comparisons } = await engine.compareEvaluations(PROJECT, {
      baseline: "e",
      candidates: ["f"],
      include_feedback: true,
      scorers: [DIMENSION],
    });
    expect(comparisons).toMatchObject([
      { scorer_key: "feedback", path: `${MONITOR}:_rating_`, baseline_mean: 3.5, candidate_mean: 5 },
    ]);
    const { entries, dimensions } = await engine.leaderboard(PROJECT, {
      include_feedback: true,
      scorers: [DIMENSION],
    });
    expect(dimensions).toHaveLength(1);
    expect(entries[0]?.evaluation_call_id).toBe("f");
    const agreement = await engine.agreement(PROJECT, {
      evaluations: ["e"],
      a: DIMENSION,
      b: "judge",
      include_feedback: true,
    });
    expect(agreement).toMatchObject({ n_both: 6, a: { path: `${MONITOR}:_rating_` } });
    expect(agreement.pearson).toBeCloseTo(1, 12);
  });

  it("in tables", async () => {
    const table = await engine.queryTable(PROJECT, { evaluation_call_ids: ["e"], include_feedback: true });
    const at = table.schema.fields.findIndex(({ name }) => name.includes("_rating_"));
    expect(table.schema.fields[at]?.name).toBe(`scores.feedback.${MONITOR}:_rating_`);
    expect(Array.from(table.getChildAt(at) ?? [], Number).toSorted((a, b) => a - b)).toEqual(values["e"]);
  });
});
