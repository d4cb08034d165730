import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine, type EvalResultsRequest } from "../../src/index.ts";
import { noClickHouse, sharedClickHouse } from "../support/clickhouse-server.ts";
import { call, PROJECT, root, trial } from "../support/records.ts";
import { because } from "../support/skipped.ts";

const TRIALS = ["t1", "t2", "t3", "t4"].flatMap((id, i) => [
  trial(id, { q: i }, { judge: i / 4, ok: i > 1 }),
  call(`${id}-predict`, { parent_id: id, op_name: "model.predict", started_at: "2026-01-01T00:00:01Z" }),
  call(`${id}-judge`, { parent_id: id, op_name: "judge.score", attributes: { svc: { score: true } } }),
]);

const RUNNABLE = {
  runnable_ref: `svc:///${PROJECT}/op/j:v1`,
  call_ref: `svc:///${PROJECT}/call/other`,
};

/** On which call, of which type, what, by whom. */
const GIVEN: readonly (readonly [
  call: string,
  type: string,
  payload: object,
  user?: string,
  others?: object,
])[] = [
  ["t1", "rating", { value: 4 }],
  ["t2-predict", "rating", { value: 5 }],
  ["t3-judge", "rating", { value: 1 }],
  ["t1", "rating", { value: 2 }],
  ["t1", "rating", { value: 3 }, "bob"],
  ["t1", "rating", { value: 7 }, "bob", { creator: "a form" }],
  ["t1", "ok", { value: true }],
  ["t1", "ok", { value: false }, "bob"],
  ["t2", "ok", { value: true }],
  ["t2", "ok", { value: false }, "bob"],
  ["t2", "ok", { value: true }, "eve"],
  ["t4", "only", { "a/b~c": 0.1 }],
  ["t3", "only", { a: 1, b: 2 }],
  ["t3", "only", { a: "a text" }],
  ["t2", "only", { x: true }],
  ["t4", "large", { value: 12345678901234567890123n }],
  ["t3", "large", { value: 1e300 }],
  ["t3", "large", { value: 1e300 }, "bob"],
  ["t1", "large", { value: null }],
  ["t4", "svc.runnable.j", { output: 0.25 }, "ann", RUNNABLE],
  [
    "t1",
    "svc.runnable.j",
    { output: "none" },
    "ann",
    { ...RUNNABLE, scorer_ratings: { _rating_: 0.5, "a.b~/": -1 } },
  ],
  ["t1", "rating", {}, "ann", { scorer_ratings: { value: 1, 'q"uote': 2, "\uE0005": 3, "": 2 ** 70 } }],
  ["t1", "rating", {}, "ann", { scorer_ratings: { value: 4 } }],
  ["t1", "rating", {}, "bob", { creator: "a form", scorer_ratings: { value: 9.25 } }],
  ["t2-predict", "rating", { value: 3 }, "eve", { scorer_ratings: { value: 8 } }],
  ["t3", "rating", {}, "ann", { weave: { scorer_ratings: { text: "1", no: true, list: [1] } } }],
  ["t3", "rating", {}, "bob", { weave: { scorer_ratings: [1] } }],
];

const REQUESTS: readonly EvalResultsRequest[] = [
  {},
  { feedback_by: "mean" },
  { feedback_by: "latest" },
  { include_predict_and_score_children: false },
  { sort_by: [{ field: "scores.feedback.rating", direction: "desc" }] },
  { sort_by: [{ field: "scores.feedback.rating:value", direction: "desc" }], feedback_by: "latest" },
  { derived_scores: { twice: "scores['feedback']['rating'] * 2" } },
];

describe.skipIf(noClickHouse !== null)(
  `questions about feedback have the same answers on ClickHouse${because(noClickHouse)}`,
  () => {
    let engines: readonly [Engine, Engine];

    beforeAll(async () => {
      const clickhouse = { url: await sharedClickHouse(), database: `feedback_${process.pid}` };
      engines = [await openEngine({ threads: 1 }), await openEngine({ clickhouse })];
      for (const engine of engines) {
        await engine.ingestCalls([root("e"), ...TRIALS]);
        for (const [i, [on, feedback_type, payload, userId = "ann", others = {}]] of GIVEN.entries()) {
          const svc_ref = `svc:///${PROJECT}/call/${on}`;
          const id = `f${String(i).padStart(4, "0")}`;
          const record = { project_id: PROJECT, svc_ref, feedback_type, payload, id, ...others };
          await engine.feedback.create(record, { userId });
        }
      }
    });

    afterAll(async () => {
      for (const engine of engines) await engine.close();
    });

    it.each(REQUESTS)("%j", async (request) => {
      const whole = {
        evaluation_call_ids: ["e"],
        include_feedback: true,
        include_summary: true,
        ...request,
      };
      const [onFile, onServer] = await Promise.all(
        engines.map((engine) => engine.queryEvalResultsJson(PROJECT, whole)),
      );
      for (const name of ['"rating"', '"rating:value"', '"svc.runnable.j:a.b~/"'])
        expect(onFile).toContain(name);
      expect(onServer).toBe(onFile);
    });
  },
);
