import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { basic, startService, type TestService } from "./running-service.ts";

let engine: Engine;
let service: TestService;

beforeAll(async () => {
  engine = await openEngine({ threads: 1 });
  await engine.ingestCalls(calls());
  service = await startService({
    query: (projectId, request, options) => engine.streamEvalResults(projectId, request, options),
  });
});

afterAll(async () => {
  await service.stop();
  await engine.close();
});

/** One evaluation of twenty rows. */
function calls(): object[] {
  const common = {
    project_id: "acme/qa",
    trace_id: "t",
    started_at: "2026-01-01T00:00:00Z",
    ended_at: "2026-01-01T00:00:01Z",
  };
  const trials = Array.from({ length: 20 }, (_, at) => ({
    ...common,
    id: `t${at}`,
    parent_id: "e1",
    op_name: "Evaluation.predict_and_score",
    inputs: { example: { question: `é ${at}`, n: 9007199254740993n } },
    output: { output: `answer ${at}`, scores: { correct: at % 2 === 0 } },
  }));
  return [{ ...common, id: "e1", op_name: "Evaluation.evaluate" }, ...trials];
}

function query(body: object, path = "/v2/acme/qa/eval_results/query"): Promise<Response> {
  return service.fetch(path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { authorization: basic(service.key), "content-type": "application/json" },
  });
}

/** Asks with the pattern in two filters. */
function asked(text: string) {
  return {
    evaluation_call_ids: ["e1"],
    filters: [
      { query: { $expr: { $regex: { input: { $getField: "outputs.x" }, pattern: { $literal: text } } } } },
      {
        query: {
          $expr: {
            $not: { $regex: { input: { $getField: "inputs.question" }, pattern: { $literal: text } } },
          },
        },
      },
    ],
  };
}

describe("evaluation results over HTTP", () => {
  it("that a pattern filters, and 422 with its place for what is none", async () => {
    for (const text of ["(?=a)", "(", "a{1,1000}".repeat(9)]) {
      const response = await query(asked(text));
      expect(response.status).toBe(422);
      const { detail } = (await response.json()) as { detail: { loc: unknown }[] };
      expect(detail[0]?.loc).toEqual([
        "body",
        "filters",
        0,
        "query",
        "$expr",
        "$regex",
        "pattern",
        "$literal",
      ]);
    }
    const [, second] = asked("^é 1[0-4]$").filters;
    const response = await query({ evaluation_call_ids: ["e1"], filters: [second] });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ total_rows: 15 });
  });

  it("are the engine's own bytes", async () => {
    for (const request of [
      {},
      {
        evaluation_call_ids: ["e1"],
        include_summary: true,
        include_raw_data_rows: true,
        limit: 3,
        offset: 1,
      },
      { evaluation_call_ids: ["e1", "unknown"], include_rows: false },
    ]) {
      const response = await query(request);
      expect(response.status).toBe(200);
      const text = await response.text();
      expect(text).toBe(await engine.queryEvalResultsJson("acme/qa", request));
      expect(response.headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
    }
    const raw = await (await query({ evaluation_call_ids: ["e1"], include_raw_data_rows: true })).text();
    expect(raw).toContain("9007199254740993");
  });

  it("of another project are empty", async () => {
    const response = await query({ evaluation_call_ids: ["e1"] }, "/v2/acme/other/eval_results/query");
    expect(await response.json()).toMatchObject({ rows: [], total_rows: 0 });
  });

  it.each([
    [422, { sort_by: [{ field: "scores.a", mode: "x" }] }, ["body", "sort_by", 0, "mode"]],
    [422, { limit: -1 }, ["body", "limit"]],
    [422, { surprise: 1 }, ["body", "surprise"]],
    [422, [], ["body"]],
  ])("answer %i to %j, and say where", async (status, request, loc) => {
    const response = await query(request);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ reason: expect.any(String) as unknown, detail: [{ loc }] });
  });

  it.each([
    [{ sort_by: [{ field: "nonsense.a" }] }],
    [{ sort_by: [{ field: "inputs.a", mode: "difference" }] }],
    [{ filters: [{ query: { $expr: { $and: [] } } }] }],
  ])("answer 400 to what means nothing: %j", async (request) => {
    const response = await query(request);
    expect(response.status).toBe(400);
    expect(Object.keys((await response.json()) as object)).toEqual(["reason"]);
  });
});
