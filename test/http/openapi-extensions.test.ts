import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { closed, schemaChecker, type Description } from "./schema-checker.ts";
import { basic, startService, type TestService } from "./running-service.ts";

const EVALUATIONS = ["e1", "e2"];

let engine: Engine;
let service: TestService;
let checks: (name: string) => (answer: unknown) => unknown;

/** Two evaluations of six rows, two trials a row, with scores of every type, some of them missing. */
function calls(): object[] {
  return EVALUATIONS.flatMap((evaluation) => {
    const common = { project_id: "acme/qa", trace_id: "t", started_at: "2026-01-01T00:00:00Z" };
    const trials = Array.from({ length: 12 }, (_, at) => ({
      ...common,
      ended_at: "2026-01-01T00:00:01.5Z",
      id: `${evaluation}-${at}`,
      parent_id: evaluation,
      op_name: "Evaluation.predict_and_score",
      inputs: { example: { n: at % 6 } },
      output: {
        output: { text: `answer ${at}` },
        details: { kind: at % 2 === 0 ? "even" : "odd" },
        scores: {
          correct: at % 3 === 0,
          judge: at % 5 === 0 ? { quality: null } : { quality: at / 12, verdict: "fine" },
        },
      },
    }));
    const predicted = trials.map(({ id }) => ({
      ...common,
      ended_at: "2026-01-01T00:00:01Z",
      id: `${id}-p`,
      parent_id: id,
      op_name: "Model.predict",
      inputs: {},
      output: "x",
      summary: { usage: { m: { total_tokens: 7 } } },
    }));
    return [{ ...common, id: evaluation, op_name: "Evaluation.evaluate" }, ...trials, ...predicted];
  });
}

beforeAll(async () => {
  engine = await openEngine({ threads: 1 });
  await engine.ingestCalls(calls());
  for (const feedback_type of ["svc.note.1", "thumb"]) {
    const payload = feedback_type === "thumb" ? { up: true } : { note: "é" };
    const svc_ref = "svc:///acme/qa/call/e1-0";
    await engine.feedback.create(
      { project_id: "acme/qa", svc_ref, feedback_type, payload },
      { userId: "ann" },
    );
  }
  service = await startService({ query: (...args) => engine.streamEvalResults(...args), results: engine });
  const description = closed((await (await service.fetch("/openapi.json")).json()) as Description);
  const checkSchema = schemaChecker(description);
  checks = (name) => {
    const operation = description.paths[`/v2/{entity}/{project}/eval_results/${name}`]?.["post"];
    const schema = operation?.responses["200"]?.content["application/json"]?.schema;
    return (answer) => checkSchema(schema, answer);
  };
});

afterAll(async () => {
  await service.stop();
  await engine.close();
});

async function ask(request: object, name = "query"): Promise<unknown> {
  const response = await service.fetch(`/v2/acme/qa/eval_results/${name}`, {
    method: "POST",
    body: JSON.stringify(request),
    headers: { authorization: basic(service.key), "content-type": "application/json" },
  });
  expect(response.status).toBe(200);
  return response.json();
}

const BASE = { evaluation_call_ids: EVALUATIONS, include_summary: true };

describe("the description of evaluation results names every member of the answer", () => {
  it.each([
    ["to a plain request", BASE],
    ["with raw rows", { ...BASE, include_raw_data_rows: true, resolve_row_refs: true }],
    ["with calls below the trials", { ...BASE, include_predict_and_score_children: true }],
    ["with uncertainty", { ...BASE, include_uncertainty: true }],
    ["with pass@k", { ...BASE, pass_k: [1, 2, 4] }],
    ["with errors", { ...BASE, include_trial_errors: true }],
    ["with usage and histograms", { ...BASE, include_usage: true, histogram_bins: 5 }],
    ["with row counts", { ...BASE, include_row_counts: true }],
    [
      "with trials without a value counted",
      { ...BASE, include_uncertainty: true, count_errors_as: 0, count_nulls_as: 0 },
    ],
    ["with derived scores", { ...BASE, derived_scores: { total: "0.5 * judge.quality + 0.5 * correct" } }],
    ["with feedback", { ...BASE, include_feedback: true }],
    [
      "with everything at once",
      {
        ...BASE,
        include_raw_data_rows: true,
        include_predict_and_score_children: true,
        include_uncertainty: true,
        include_feedback: true,
        pass_k: [1, 2],
        derived_scores: { total: "judge.quality * 2", passed: "judge.quality > 0.5" },
      },
    ],
    ["without rows", { ...BASE, include_rows: false }],
  ])("%s", async (_name, request) => {
    const answer = await ask(request);
    expect(checks("query")(answer)).toEqual([]);
    expect(answer).toMatchObject({ total_rows: expect.any(Number) as unknown });
  });

  it("and would notice one that it does not name", async () => {
    const answer = (await ask(BASE)) as { rows: { surprise?: number }[] };
    for (const row of answer.rows) row.surprise = 1;
    expect(checks("query")(answer)).not.toEqual([]);
  });
});

const PAIR = { baseline: "e1", candidates: ["e2"] };

describe("the description of an answer about evaluations names every member", () => {
  it.each([
    ["leaderboard", {}],
    ["leaderboard", { by: "inputs.n", costs: true, count_errors_as: 0 }],
    ["leaderboard", { by: ["output.details.kind"] }],
    ["compare", PAIR],
    ["compare", { ...PAIR, by: "auto", count_nulls_as: 0 }],
    ["query", { ...BASE, by: "output.details.kind" }],
    ["compare", { ...PAIR, baseline_is_best: true }],
    ["query", { ...BASE, by: "inputs.n" }],
  ])("%s with %j", async (name, request) => {
    expect(checks(name)(await ask(request, name))).toEqual([]);
  });
});
