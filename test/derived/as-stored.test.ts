import { afterAll, beforeAll, expect, it } from "vitest";
import { openEngine, type Engine, type EvalResultsRequest } from "../../src/index.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { EVALUATIONS, records, trials, valueOf } from "./scored-trials.ts";

/** The same trials twice: with scores that a request derives, and with mathjs's values of them stored. */
const DERIVED = {
  total: "0.7 * judge.score + 0.3 * correct",
  good: "judge.score > 0.1 and correct",
  partial: "correct ? sparse : judge.score",
};
let deriving: Engine;
let storing: Engine;

beforeAll(async () => {
  deriving = await openEngine({ threads: 2 });
  storing = await openEngine({ threads: 1 });
  await deriving.ingestCalls(records);
  await storing.ingestCalls([
    ...EVALUATIONS.map((id) => root(id)),
    ...trials.map((one) => {
      const values = Object.entries(DERIVED).flatMap(([name, expression]) => {
        const value = valueOf(expression, one);
        return value === null ? [] : [[name, value] as const];
      });
      const scores = { ...one.scores, ...Object.fromEntries(values) };
      return trial(one.id, one.row, scores, { parent_id: one.evaluation });
    }),
  ]);
});
afterAll(async () => {
  await deriving.close();
  await storing.close();
});

it("gives the rows and the summary, with uncertainty, that stored scores give", async () => {
  const request: EvalResultsRequest = {
    evaluation_call_ids: EVALUATIONS,
    include_summary: true,
    include_uncertainty: true,
    pass_k: [1, 2],
    sort_by: [
      { field: "scores.partial", direction: "desc" },
      { field: "scores.total", mode: "difference" },
    ],
    filters: [
      { quantifier: "mean", query: { $expr: { $lt: [{ $getField: "scores.total" }, { $literal: 5000 }] } } },
    ],
  };
  expect(await deriving.queryEvalResults(PROJECT, { ...request, derived_scores: DERIVED })).toEqual(
    await storing.queryEvalResults(PROJECT, request),
  );
});

it("gives the comparison that stored scores give", async () => {
  const request = { baseline: "e", candidates: ["f"], scorers: ["total", "good", "partial"] };
  const compared = await deriving.compareEvaluations(PROJECT, { ...request, derived_scores: DERIVED });
  expect(compared).toEqual(await storing.compareEvaluations(PROJECT, request));
  expect(compared.comparisons.map(({ scorer_key }) => scorer_key)).toEqual(["good", "partial", "total"]);
});

it("gives the agreement that stored scores give", async () => {
  const request = { evaluations: EVALUATIONS, a: "good", b: "correct" };
  const {
    bootstrap: _one,
    raw_agreement_interval: _two,
    cohen_kappa_interval: _three,
    ...derived
  } = await deriving.agreement(PROJECT, { ...request, derived_scores: DERIVED });
  expect(await storing.agreement(PROJECT, request)).toMatchObject(derived);
});

it("gives the table that stored scores give", async () => {
  const request = { evaluation_call_ids: EVALUATIONS };
  const derived = await deriving.queryTable(PROJECT, { ...request, derived_scores: DERIVED });
  const stored = await storing.queryTable(PROJECT, request);
  expect(derived.schema.fields.map(String)).toEqual(stored.schema.fields.map(String));
  expect(derived.toArray().map(String)).toEqual(stored.toArray().map(String));
});
