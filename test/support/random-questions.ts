import fc from "fast-check";
import type { FeedbackRecord } from "../../src/index.ts";
import { call, PROJECT, root } from "./records.ts";

/** The evaluations of {@link scoredRuns}; the fourth has no trial. */
export const EVALUATIONS = ["e1", "e2", "e3", "empty"] as const;
const DIMENSIONS = ["ok", "judge.score", "judge.ok", "fine", "feedback.rating", "feedback.right", "d1", "d2"];
const DERIVED = [
  "ok ? fine : -fine",
  "(judge.score + fine) / 2",
  "ok and judge.ok",
  "round(fine * 3) == judge.score",
  "max(fine, judge.score, 0.25) - min(fine, 0.5)",
  "judge.score % 2 == 0 or not ok",
  "fine > 0.3 ? judge.score / fine : sqrt(abs(fine))",
];

/** Undefined one time in so many. */
const some = <T>(one: fc.Arbitrary<T>, oneIn = 8) => fc.option(one, { nil: undefined, freq: oneIn });
const number = fc.oneof(
  fc.constantFrom(0, 1, 0.1, 0.2, 0.85, -2.5, 1e300, -1e300, 5e-324, 2 ** 53),
  fc.integer({ min: 0, max: 1024 }).map((n) => n / 1024),
  fc.double({ min: -10, max: 10, noNaN: true }),
);
const trial = fc.record({
  row: fc.integer({ min: 0, max: 11 }),
  ok: some(fc.boolean()),
  score: some(
    fc.oneof(
      { weight: 9, arbitrary: fc.integer({ min: 0, max: 5 }) },
      { weight: 1, arbitrary: fc.constant("3") },
    ),
  ),
  judged: some(fc.boolean()),
  fine: some(number),
  rating: some(fc.integer({ min: 1, max: 5 }), 2),
  right: some(fc.boolean(), 2),
  millis: fc.integer({ min: 1, max: 90_000 }),
  tokens: fc.integer({ min: 0, max: 5000 }),
  failed: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
});

/** Call records of evaluations with scores of all kinds, and feedback records about their trials. */
export const scoredRuns = fc
  .tuple(...EVALUATIONS.slice(0, 3).map(() => fc.array(trial, { minLength: 12, maxLength: 40, size: "max" })))
  .map((runs) => {
    const calls: object[] = EVALUATIONS.map((id, i) =>
      root(id, { display_name: `run ${id}`, attributes: { branch: i % 2 === 0 ? "main" : "side" } }),
    );
    const feedback: FeedbackRecord[] = [];
    for (const [e, run] of runs.entries()) {
      for (const [t, one] of run.entries()) {
        const id = `${EVALUATIONS[e]}-${t}`;
        const scores = { ok: one.ok, judge: { score: one.score, ok: one.judged }, fine: one.fine };
        const started_at = "2026-01-01T00:00:00Z";
        const ended_at = new Date(Date.parse(started_at) + one.millis).toISOString();
        const usage = { [`model-${e}`]: { prompt_tokens: one.tokens, completion_tokens: one.tokens % 7 } };
        calls.push(
          call(id, {
            op_name: "Evaluation.predict_and_score",
            parent_id: EVALUATIONS[e],
            inputs: { example: { q: `question ${one.row}`, topic: `topic ${one.row % 3}`, n: one.row } },
            output: { output: { text: `answer ${t % 4}`, n: t % 5 }, scores },
            exception: one.failed ? "the model failed" : null,
            started_at,
            ended_at,
          }),
          call(`${id}-predict`, {
            parent_id: id,
            op_name: "model.predict",
            started_at,
            ended_at,
            summary: { usage },
          }),
        );
        for (const [type, value] of Object.entries({ rating: one.rating, right: one.right }))
          if (value !== undefined)
            feedback.push({
              project_id: PROJECT,
              svc_ref: `svc:///${PROJECT}/call/${id}`,
              feedback_type: type,
              payload: { value },
              id: `${id}-${type}`,
            });
      }
    }
    return { calls, feedback };
  });

const field = fc.constantFrom(
  ...DIMENSIONS.slice(0, 4).map((name) => `scores.${name}`),
  "inputs.topic",
  "inputs.n",
  "outputs.n",
  "outputs.text",
);
const literal = fc.constantFrom<(string | number | boolean)[]>(
  0,
  1,
  0.5,
  3,
  true,
  false,
  "topic 1",
  "answer 2",
);
const filter = fc.record(
  {
    query: fc
      .tuple(fc.constantFrom("$eq", "$gt", "$gte", "$lt", "$lte"), field, literal)
      .map(([operator, $getField, $literal]) => ({ $expr: { [operator]: [{ $getField }, { $literal }] } })),
    evaluation_call_id: fc.constantFrom(null, null, ...EVALUATIONS),
    quantifier: fc.constantFrom("any", "all", "first", "mean", null),
  },
  { requiredKeys: ["query"] },
);

/** Members that several kinds of questions share. */
const scope = {
  filters: some(fc.array(filter, { minLength: 1, maxLength: 2 }), 2),
  filter_logic_operator: fc.constantFrom("and", "or"),
  include_predict_and_score_children: fc.boolean(),
  include_feedback: fc.boolean(),
  derived_scores: some(
    fc.tuple(fc.constantFrom(...DERIVED), fc.constantFrom(...DERIVED)).map(([d1, d2]) => ({ d1, d2 })),
    2,
  ),
};
const feedbackBy = { feedback_by: fc.constantFrom("majority", "mean", "latest") };
const dimension = fc.constantFrom(...DIMENSIONS);
const scorers = fc.uniqueArray(fc.constantFrom("ok", "judge", "fine", "judge.score"), { minLength: 1 });
const adjust = fc.constantFrom("benjamini-hochberg", "holm", "none");
const direction = fc.constantFrom("asc", "desc");
const several = fc.uniqueArray(fc.constantFrom(...EVALUATIONS), { minLength: 1 });

const query = fc.record({
  ...scope,
  ...feedbackBy,
  evaluation_call_ids: several,
  require_intersection: fc.boolean(),
  include_raw_data_rows: fc.boolean(),
  resolve_row_refs: fc.boolean(),
  include_trial_errors: fc.boolean(),
  include_summary: fc.constant(true),
  include_uncertainty: fc.boolean(),
  include_usage: fc.boolean(),
  include_row_counts: fc.boolean(),
  pass_k: some(fc.constant([1, 2]), 2),
  histogram_bins: some(fc.constantFrom(3, 20), 2),
  sort_by: some(
    fc.array(fc.record({ field, direction, mode: fc.constant("value") }), { minLength: 1, maxLength: 2 }),
  ),
  moved: some(
    fc.record({ field: dimension.map((name) => `scores.${name}`), direction: fc.constant("any") }),
    2,
  ),
  missing: some(fc.record({ field: dimension.map((name) => `scores.${name}`) }), 2),
  search: some(fc.constantFrom("question 1", "answer 2", "TOPIC"), 2),
  limit: fc.constantFrom(3, 50),
  offset: fc.constantFrom(0, 2),
});

const comparison = fc.record({
  ...scope,
  ...feedbackBy,
  baseline: fc.constantFrom("e1", "e2"),
  candidates: fc.constantFrom(["e3"], ["e3", "empty"]),
  scorers: some(scorers, 2),
  confidence: fc.constantFrom(0.8, 0.95),
  adjust,
  margin: some(fc.constantFrom(0.05, 1), 2),
  lower_is_better: some(fc.constant(["fine"]), 2),
  cluster_by: some(fc.constant("inputs.topic"), 2),
});

const agreement = fc.record({
  ...scope,
  ...feedbackBy,
  evaluations: several,
  a: dimension,
  b: dimension,
  confidence: fc.constantFrom(0.8, 0.95),
  require_intersection: fc.boolean(),
});

const leaderboard = fc.record({
  ...scope,
  by: fc.constantFrom("evaluation", "model"),
  evaluations: some(several, 2),
  where: some(fc.constant({ "attributes.branch": "main" }), 2),
  scorers: some(scorers, 2),
  lower_is_better: some(fc.constant(["fine"]), 2),
  adjust,
  sort_by: some(
    fc.array(
      fc.record({ field: fc.constantFrom("scores.ok", "pass_rate", "latency", "tokens", "cost"), direction }),
      {
        maxLength: 2,
      },
    ),
    2,
  ),
  prices: some(
    fc.constant({ "model-0": { input: 2, output: 8 }, "model-1": { input: 0.1, output: 0.3 } }),
    2,
  ),
});

/** Requests of each kind. */
export const questions = { query, comparison, agreement, leaderboard };
