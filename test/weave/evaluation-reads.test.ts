import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { object } from "./weave-requests.ts";
import { startWeave, type WeaveService } from "./service.ts";

/* The members that answers must have were read in the types of the client inside Python `weave` 0.54.0. */

const PROJECT = "acme/qa";
const MODEL = "weave:///acme/qa/object/model:v1";

let service: WeaveService;

const call = (id: string, parent_id: string | null, op_name: string, second: number, more: object = {}) => ({
  project_id: PROJECT,
  id,
  parent_id,
  op_name,
  trace_id: "trace",
  started_at: `2026-01-01T00:00:0${second}Z`,
  ended_at: "2026-01-01T00:01:00Z",
  wb_user_id: "ann",
  ...more,
});

const CALLS = [
  call("run", null, "Evaluation.evaluate", 0, {
    inputs: { self: "weave:///acme/qa/object/evaluation:v1", model: MODEL },
    summary: { weave: { costs: { m: { total: 1 } }, status: "mine" }, n: 12345678901234567890n },
    attributes: { weave: { source_evaluation_run_id: "before" } },
  }),
  call("t2", "run", "Evaluation.predict_and_score", 3, {
    inputs: { example: { q: 2 }, model: MODEL },
    output: { output: "late", scores: { "b~/%": 0.5, a: true } },
  }),
  call("t1", "run", "Evaluation.predict_and_score", 1, {
    inputs: { example: { q: 1 } },
    output: { output: "own", scores: { acc: 12345678901234567890n } },
  }),
  call("p1", "t1", "Model.predict", 2, {
    inputs: { self: MODEL, q: 1, model: "left out" },
    output: { answer: 12345678901234567890n },
  }),
  call("s1", "t1", "acc.score", 3, {
    inputs: { self: "weave:///acme/qa/object/acc:v1" },
    attributes: { weave: { score: true } },
    output: 1,
    wb_user_id: "eve",
  }),
  call("s2", "t1", "late.score", 4, {
    attributes: { weave: { score: true, scorer: "weave:///acme/qa/op/late:v1" } },
    output: { x: null },
    wb_user_id: undefined,
  }),
  call("other", null, "Evaluation.evaluate", 5, {
    inputs: {},
    attributes: { svc: { evaluation: "named", model: "plain" } },
    ended_at: null,
  }),
  call("t3", "gone", "Evaluation.predict_and_score", 6, { output: { output: 1, scores: {} } }),
];

beforeAll(async () => {
  service = await startWeave();
  await service.engine.ingestCalls(CALLS);
  const evaluation = { _class_name: "Evaluation", dataset: "weave:///acme/qa/object/rows:v1", trials: 2 };
  for (const [name, val] of [
    ["evaluation", { ...evaluation, scorers: ["weave:///acme/qa/op/acc:v1", 1], evaluate: "op" }],
    ["evaluation", { ...evaluation, name: "second", trials: "many" }],
    ["model", { _class_name: "Model" }],
  ] as const)
    await service.post("/obj/create", object(name, val));
});

afterAll(async () => {
  await service.stop();
});

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${service.url}${path}`, {
    headers: { authorization: service.ann, ...headers },
  });
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    text: await response.text(),
    response,
  };
}

async function list(path: string, headers?: Record<string, string>) {
  const { status, text } = await get(`/v2/acme/qa/${path}`, headers);
  expect([status, text === "" || text.endsWith("\n")]).toEqual([200, true]);
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

const runIds = async (query: string) =>
  (await list(`evaluation_runs?${query}`)).map(({ evaluation_run_id }) => evaluation_run_id);

const getVersion = async (path: string) => get(`/v2/acme/qa/evaluations/${path}`);

describe("evaluation runs", () => {
  it("are all evaluations of the project, with what their roots say", async () => {
    const [run, other, gone] = await list("evaluation_runs");
    expect(run).toEqual({
      evaluation_run_id: "run",
      evaluation: "weave:///acme/qa/object/evaluation:v1",
      model: MODEL,
      status: "completed",
      started_at: "2026-01-01T00:00:00.000000Z",
      finished_at: "2026-01-01T00:01:00.000000Z",
      summary: {
        n: Number(12345678901234567890n),
        weave: {
          costs: { m: { total: 1 } },
          status: "success",
          trace_name: "Evaluation.evaluate",
          latency_ms: 60_000,
        },
      },
      source_evaluation_run_id: "before",
    });
    expect(other).toMatchObject({
      evaluation: "named",
      model: "plain",
      status: "running",
      finished_at: null,
    });
    expect(gone).toMatchObject({
      evaluation_run_id: "gone",
      evaluation: "",
      started_at: null,
      summary: null,
    });
  });

  it("are narrowed by each parameter, of which one value counts or the other", async () => {
    expect(await runIds("evaluation_run_ids=other&evaluation_run_ids=run")).toEqual(["run", "other"]);
    expect(await runIds("models=plain&evaluation_run_ids=run")).toEqual([]);
    expect(await runIds("evaluations=named&models=plain&surprise=1")).toEqual(["other"]);
    expect(await runIds("limit=1&offset=1")).toEqual(["other"]);
    expect(await runIds("limit=0")).toEqual([]);
    expect(await runIds("limit=9007199254740991&offset=9007199254740991")).toEqual([]);
    for (const bad of ["limit=-1", "limit=1.5", "offset=x", "limit="]) {
      const { status, text } = await get(`/v2/acme/qa/evaluation_runs?${bad}`);
      const place = ["query", bad.split("=")[0]];
      expect([status, JSON.parse(text)]).toMatchObject([422, { detail: [{ loc: place }] }]);
    }
  });

  it("are read one by one", async () => {
    expect(JSON.parse((await get("/traces/v2/acme/qa/evaluation_runs/run")).text)).toMatchObject({
      model: MODEL,
    });
    expect((await get("/v2/acme/qa/evaluation_runs/t1")).status).toBe(404);
    expect((await get("/v2/other/project/evaluation_runs/run")).status).toBe(403);
  });
});

describe("predictions", () => {
  it("are one a trial, by start", async () => {
    const found = await list("predictions");
    expect(found).toEqual([
      {
        prediction_id: "p1",
        model: MODEL,
        inputs: { q: 1 },
        output: { answer: Number(12345678901234567890n) },
        evaluation_run_id: "run",
        wb_user_id: "ann",
      },
      {
        prediction_id: "t2",
        model: MODEL,
        inputs: { q: 2 },
        output: "late",
        evaluation_run_id: "run",
        wb_user_id: "ann",
      },
      { prediction_id: "t3", model: "", inputs: {}, output: 1, evaluation_run_id: "gone", wb_user_id: "ann" },
    ]);
    expect((await get("/v2/acme/qa/predictions/p1")).text).toContain('{"answer":12345678901234567890}');
    expect(await list("predictions?evaluation_run_id=run&offset=1")).toMatchObject([{ prediction_id: "t2" }]);
    expect((await get("/v2/acme/qa/predictions/t1")).status).toBe(404);
    expect(await list("predictions?evaluation_run_id=unknown")).toEqual([]);
  });
});

describe("scores", () => {
  it("are each member of the scores of each trial, late ones too, by key", async () => {
    const found = await list("scores?evaluation_run_id=run");
    expect(found.map(({ score_id, scorer, wb_user_id }) => [score_id, scorer, wb_user_id])).toEqual([
      ["s1", "weave:///acme/qa/object/acc:v1", "eve"],
      ["s2", "weave:///acme/qa/op/late:v1", "ann"],
      ["t2~a", "a", "ann"],
      ["t2~b%7E%2F%25", "b~/%", "ann"],
    ]);
    expect(found[1]).toEqual({
      score_id: "s2",
      scorer: "weave:///acme/qa/op/late:v1",
      value: { x: null },
      evaluation_run_id: "run",
      prediction_id: "p1",
      wb_user_id: "ann",
    });
    expect((await list("scores?limit=2&offset=1")).map(({ score_id }) => score_id)).toEqual(["s2", "t2~a"]);
    expect(await list("scores?limit=0")).toEqual([]);
  });

  it("are read by their ids, digit for digit", async () => {
    expect((await get("/v2/acme/qa/scores/s1")).text).toContain('"value":12345678901234567890');
    const id = encodeURIComponent("t2~b%7E%2F%25");
    expect(JSON.parse((await get(`/v2/acme/qa/scores/${id}`)).text)).toMatchObject({ value: 0.5 });
    for (const unknown of ["p1", "t2~c", "~a", "t2"])
      expect((await get(`/v2/acme/qa/scores/${unknown}`)).status).toBe(404);
  });
});

describe("published evaluations", () => {
  it("are listed in lines where lines are asked for, or the client of the SDKs asks; else as before", async () => {
    const lines = await get("/v2/acme/qa/evaluations", { accept: "application/x-ndjson" });
    expect([lines.type, lines.response.headers.get("vary")]).toEqual([
      "application/x-ndjson",
      "accept, user-agent",
    ]);
    const found = await list("evaluations", { "user-agent": "AsyncWeaveTrace/Python 0.0.1" });
    expect(found).toMatchObject([
      {
        object_id: "evaluation",
        version_index: 0,
        name: "evaluation",
        description: null,
        dataset: "weave:///acme/qa/object/rows:v1",
        scorers: ["weave:///acme/qa/op/acc:v1"],
        trials: 2,
        evaluation_name: null,
        evaluate_op: "op",
      },
      { version_index: 1, name: "second", scorers: [], trials: 1 },
    ]);
    const plain = await get("/v2/acme/qa/evaluations", { accept: "application/json" });
    expect(plain.type).toBe("application/json");
    expect(JSON.parse(plain.text)).toMatchObject({
      evaluations: [{ id: "run" }, { id: "other" }, { id: "gone" }],
    });
  });

  it("are read by version", async () => {
    expect(JSON.parse((await getVersion("evaluation/versions/latest")).text)).toMatchObject({
      version_index: 1,
    });
    expect(JSON.parse((await getVersion("evaluation/versions/v0")).text)).toMatchObject({ version_index: 0 });
    for (const unknown of ["evaluation/versions/x", "model/versions/latest"])
      expect((await getVersion(unknown)).status).toBe(404);
  });

  it("and nothing is written on these paths", async () => {
    for (const [method, path, operation] of [
      ["PUT", "predictions", "v2_predictions.create"],
      ["DELETE", "scores/s1", "v2_scores.delete"],
      ["POST", "evaluations", "v2_evaluations.create"],
    ] as const) {
      const response = await fetch(`${service.url}/v2/acme/qa/${path}`, {
        method,
        headers: { authorization: service.ann },
      });
      expect([response.status, await response.json()]).toMatchObject([404, { operation }]);
    }
  });
});
