import { writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Engine } from "../../src/index.ts";
import { call, EVALUATION, ndjson, PROJECT, root, trial } from "../support/records.ts";
import { scratchEngine, scratchFolder } from "../support/scratch.ts";

const score = (id: string, parent: string) => call(id, { op_name: "judge.score", parent_id: parent });
const NOTHING = { evaluations: 0, trials: 0, unattached: 0, unused_ops: {} };

async function countsOf(engine: Engine, records: readonly object[]) {
  const { evaluations, trials, unattached, unused_ops } = await engine.ingestCalls(records);
  return { evaluations, trials, unattached, unused_ops };
}

const like = (id: string, op_name: string, others: object) =>
  call(id, { op_name, parent_id: EVALUATION, ...others });

const inTrial = (id: string) =>
  like(id, "my_trial", { parent_id: "t", output: { output: 1, scores: { a: 1 } } });

describe("a load counts", () => {
  it("the evaluations and trials that are new or changed, a trial for each of its calls once", async () => {
    const engine = await scratchEngine();
    const records = [root(), trial("t", 1), score("s", "t"), trial("u", 2), score("v", "u")];
    expect(await countsOf(engine, records)).toEqual({ ...NOTHING, evaluations: 1, trials: 2 });
    expect(await countsOf(engine, records)).toEqual(NOTHING);
    expect(await countsOf(engine, [score("w", "t"), ...records])).toEqual({
      ...NOTHING,
      evaluations: 1,
      trials: 1,
    });
    expect(await countsOf(engine, [root(EVALUATION, { display_name: "new" })])).toEqual({
      ...NOTHING,
      evaluations: 1,
    });
  });

  it("a trial that a call joined and left again, as it would in two loads", async () => {
    const engine = await scratchEngine();
    await countsOf(engine, [trial("t", 1), trial("u", 2)]);
    expect(await countsOf(engine, [score("s", "t"), score("s", "u")])).toMatchObject({ trials: 2 });
  });

  it("calls whose parent is not stored when it ends, trials without a root not among them", async () => {
    const engine = await scratchEngine();
    expect(
      await countsOf(engine, [score("s", "t"), score("r", "t"), trial("u", 1), score("v", "u")]),
    ).toEqual({
      ...NOTHING,
      evaluations: 1,
      trials: 1,
      unattached: 2,
    });
    expect(await countsOf(engine, [score("s", "t")])).toEqual({ ...NOTHING, unattached: 1 });
    expect(await countsOf(engine, [trial("t", 2)])).toEqual({ ...NOTHING, evaluations: 1, trials: 1 });
    expect(await countsOf(engine, [{ id: "s", project_id: PROJECT, output: 1 }])).toMatchObject({
      unattached: 0,
    });
  });

  it("calls below an evaluation that look like trials, by the op name that makes them none", async () => {
    const engine = await scratchEngine();
    const records = [
      like("a", "my_trial", { inputs: { example: 1 } }),
      like("b", "my_trial", { output: { scores: {} } }),
      like("c", "evaluation.Predict_And_Score", {}),
      like("d", "summarize", { output: { mean: 1 } }),
      call("elsewhere", { op_name: "my_trial", parent_id: "d", inputs: { example: 1 } }),
      trial("t", 1),
      root(),
    ];
    const counted = { my_trial: 2, "evaluation.Predict_And_Score": 1 };
    expect(await countsOf(engine, records)).toMatchObject({ trials: 1, unused_ops: counted });
    expect(await countsOf(engine, records)).toMatchObject({ trials: 0, unused_ops: counted });
  });

  it("calls that look like trials below no evaluation, where the load has none", async () => {
    const engine = await scratchEngine();
    const records = [
      call("r", { op_name: "my_eval" }),
      ...["a", "b"].map((id) => call(id, { op_name: "my_trial", parent_id: "r", inputs: { example: id } })),
    ];
    expect(await countsOf(engine, records)).toMatchObject({ evaluations: 0, unused_ops: { my_trial: 2 } });
  });

  it("no call below a trial as one that looks like a trial, whichever comes first, though trials stand below that one too", async () => {
    const engine = await scratchEngine();
    const inner = trial("inner", 2, { parent_id: "t" });
    const records = [inTrial("a"), trial("t", 1), inTrial("b"), inner, root()];
    expect(await countsOf(engine, records)).toMatchObject({ trials: 2, unused_ops: {} });
    expect(await countsOf(engine, [inTrial("c")])).toMatchObject({ unused_ops: {} });
  });

  it("what `deleteCalls` hid: descendants, but no unknown id, and nothing twice", async () => {
    const engine = await scratchEngine();
    const below = call("below", { parent_id: "s" });
    await engine.ingestCalls([root(), trial("t", 1), score("s", "t"), below, trial("u", 2), score("v", "u")]);
    expect(await engine.deleteCalls(PROJECT, ["s", "unknown", "s"])).toEqual({ hidden: 2 });
    expect(await engine.deleteCalls(PROJECT, ["t", "s"])).toEqual({ hidden: 1 });
    expect(await engine.deleteCalls("acme/other", [EVALUATION])).toEqual({ hidden: 0 });
    expect(await engine.deleteCalls(PROJECT, [EVALUATION, "u"])).toEqual({ hidden: 3 });
    expect(await engine.deleteCalls(PROJECT, [EVALUATION])).toEqual({ hidden: 0 });
    expect(await countsOf(engine, [score("late", "t"), trial("z", 3)])).toEqual(NOTHING);
  });
});

type Members = Readonly<Record<string, string>>;

/** The calls as they are merged, and which of them something changed. */
function expectedCounts(stored: Map<string, Members>, records: readonly Members[]) {
  const changed = new Set<string | undefined>();
  for (const record of records) {
    const earlier = stored.get(record["id"] ?? "");
    const merged = { ...earlier, ...record };
    if (earlier !== undefined && JSON.stringify(merged) === JSON.stringify(earlier)) continue;
    changed.add(record["id"]).add(earlier?.["parent_id"]).add(merged["parent_id"]);
    stored.set(record["id"] ?? "", merged);
  }
  const calls = [...stored.values()];
  const trials = calls.filter(
    (one) => one["op_name"] === "Evaluation.predict_and_score" && changed.has(one["id"]),
  );
  const named = new Set(records.map((record) => record["id"]));
  const evaluations = new Set(trials.map((one) => one["parent_id"]));
  for (const one of calls)
    if (
      one["op_name"] === "Evaluation.evaluate" &&
      records.some((record) => record["id"] === one["id"]) &&
      changed.has(one["id"])
    )
      evaluations.add(one["id"]);
  const odd = calls.filter(
    (one) => named.has(one["id"]) && one["op_name"] !== "Evaluation.predict_and_score",
  );
  return {
    trials: trials.length,
    evaluations: evaluations.size,
    unattached: odd.filter(
      ({ op_name, parent_id }) => op_name !== undefined && parent_id !== undefined && !stored.has(parent_id),
    ).length,
  };
}

it("a load of several files counts what it would count as one", async () => {
  const started = { started_at: "2026-01-01T00:00:00Z" };
  const record: fc.Arbitrary<Members> = fc.oneof(
    fc.constantFrom("e0", "e1").map((id) => ({ ...started, op_name: "Evaluation.evaluate", id })),
    fc.constantFrom(0, 1, 2).map((i) => ({
      ...started,
      op_name: "Evaluation.predict_and_score",
      id: `t${i}`,
      parent_id: `e${i % 2}`,
    })),
    fc
      .tuple(fc.constantFrom("c0", "c1", "c2", "c3"), fc.constantFrom("t0", "t1", "t2", "gone"))
      .map(([id, parent_id]) => ({
        ...started,
        op_name: "judge.score",
        id,
        parent_id,
      })),
    fc
      .tuple(fc.constantFrom("c0", "c1", "t0", "t1"), fc.integer({ min: 1, max: 2 }))
      .map(([id, second]) => ({ id, ended_at: `2026-01-01T00:00:0${second}Z` })),
  );
  const files = fc.array(fc.array(record, { maxLength: 4 }), { minLength: 1, maxLength: 3 });
  const folder = scratchFolder();
  const engine = await scratchEngine();
  let projects = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(files, { minLength: 1, maxLength: 3 }), async (loads) => {
      const project_id = `acme/p${projects++}`;
      const stored = new Map<string, Members>();
      for (const load of loads) {
        const paths = load.map((records, i) => {
          const file = path.join(folder, `${i}.ndjson`);
          writeFileSync(file, ndjson(records.map((one) => ({ ...one, project_id }))));
          return file;
        });
        expect(await engine.ingestCalls(paths)).toMatchObject(expectedCounts(stored, load.flat()));
      }
    }),
    { numRuns: 25 },
  );
});
