import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { createHttpHandler } from "../../src/http/handler.ts";
import { generateKey } from "../../src/http/keys/key-ring.ts";
import { serveHttp } from "../../src/http/node/serve.ts";

/* Requests have the form of those of openpipe-art 0.5.18 (`art/serverless/client.py`). */

const ann = generateKey("ann", ["acme/*"], new Date());
const eve = generateKey("eve", ["other/project"], new Date());

let engine: Engine;
let server: Awaited<ReturnType<typeof serveHttp>>;

beforeAll(async () => {
  engine = await openEngine();
  const handler = createHttpHandler(engine, { keys: { version: 1, keys: [ann.entry, eve.entry] } });
  server = await serveHttp(handler, { port: 0, graceMs: 200 });
});

afterAll(async () => {
  await server.stop();
  await engine.close();
});

async function send(method: string, path: string, body?: unknown, { key = ann.key, headers = {} } = {}) {
  const response = await fetch(`${server.url}/v1/preview/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown>, response };
}

async function register(name: string): Promise<string> {
  const asked = { entity: "acme", project: "qa", name, base_model: "base", return_existing: false };
  const { body } = await send("POST", "models", asked);
  expect(body).toMatchObject({ name, run_id: null });
  return String(body["id"]);
}

const user = { role: "user", content: "2 + 2?" };
const choice = (content: unknown) => ({
  index: 0,
  finish_reason: "stop",
  message: { role: "assistant", content },
});

const trajectory = (messages_and_choices: readonly unknown[], more: object = {}) => ({
  messages_and_choices,
  tools: null,
  additional_histories: [],
  initial_policy_version: null,
  final_policy_version: null,
  ...more,
});

async function trialsOf(id: unknown) {
  const answer = await engine.queryEvalResults("acme/qa", {
    evaluation_call_ids: [String(id)],
    include_raw_data_rows: true,
    include_trial_errors: true,
  });
  return answer.rows.flatMap(({ raw_data_row, evaluations }) =>
    evaluations.flatMap(({ trials }) => trials.map((trial) => ({ raw_data_row, ...trial }))),
  );
}

describe("trajectories that are logged", () => {
  it("become an evaluation of the model's project, a trial each, one prompt a row", async () => {
    const model = await register("agent");
    await engine.training.addCheckpoint(model, { step: 5 });
    const groups = [
      {
        trajectories: [
          trajectory([user, choice("3"), user, choice("4")], {
            reward: 0.5,
            metrics: { ok: true, n: 2, t: "x" },
          }),
          trajectory([user, { role: "assistant", content: null, tool_calls: [1] }]),
        ],
        exceptions: [{ type: "ValueError", message: "boom", traceback: "…" }],
      },
      { trajectories: [trajectory([])] },
    ];
    const { status, body } = await send("POST", `models/${model}/log`, {
      model_id: model.toUpperCase().replaceAll("-", ""),
      trajectory_groups: groups,
      split: "val",
    });
    expect([status, body["trial_count"]]).toEqual([200, 4]);
    const trials = await trialsOf(body["evaluation_call_id"]);
    const prompt = { messages: [user] };
    const rowOf = (empty: boolean) =>
      trials.filter(({ raw_data_row: row }) => (JSON.stringify(row) === '{"messages":[]}') === empty);
    expect(rowOf(false)).toMatchObject([
      {
        raw_data_row: prompt,
        model_output: "4",
        scores: { reward: 0.5, metrics: { ok: true, n: 2 } },
        error: null,
      },
      { raw_data_row: prompt, model_output: { role: "assistant", tool_calls: [1] }, scores: { reward: 0 } },
      { raw_data_row: prompt, model_output: null, scores: {}, error: "ValueError: boom" },
    ]);
    expect(rowOf(false)[0]?.scores["metrics"]).toEqual({ ok: true, n: 2 });
    expect(rowOf(true)).toMatchObject([{ model_output: null, scores: { reward: 0 } }]);
    const [listed] = await engine.listEvaluations("acme/qa");
    expect(listed).toMatchObject({
      display_name: "agent val step 5",
      evaluation_ref: "art:val",
      model_ref: "wandb-artifact:///acme/qa/agent:step5",
      status: "finished",
    });
  });

  it("are of the step of their policy, and kept digit for digit", async () => {
    const model = await register("digits");
    const text = `{"split":"train","trajectory_groups":[{"trajectories":[{"messages_and_choices":[],"reward":0.10,
      "initial_policy_version":7,"metadata":{"long":12345678901234567890}},{"initial_policy_version":9}]}]}`;
    const { body } = await send("POST", `models/${model}/log`, text);
    const calls: string[] = [];
    const request = { project_id: "acme/qa", filter: { trace_ids: [String(body["evaluation_call_id"])] } };
    for await (const piece of engine.weave.streamCalls(JSON.stringify(request), { userId: "ann" }))
      calls.push(piece);
    expect(calls[0]).toContain(`"model":"wandb-artifact:///acme/qa/digits:step9"`);
    expect(calls[1]).toContain('"metadata":{"long":12345678901234567890}');
  });

  it("are stored once under an Idempotency-Key", async () => {
    const model = await register("keyed");
    const log = (split: string) =>
      send(
        "POST",
        `models/${model}/log`,
        { split, trajectory_groups: [{ trajectories: [trajectory([user])] }] },
        { headers: { "idempotency-key": "k" } },
      );
    const first = await log("val");
    expect((await log("val")).body).toEqual(first.body);
    expect(await log("train")).toMatchObject({
      status: 422,
      body: { error: { code: "idempotency_mismatch" } },
    });
    expect(await trialsOf(first.body["evaluation_call_id"])).toHaveLength(1);
  });

  it("are refused for another model, a strange split and a strange key", async () => {
    const model = await register("refused");
    const body = { split: "val", trajectory_groups: [] };
    const log = async (path: string, more: object, key?: string) => {
      const { status, body: told } = await send(
        "POST",
        path,
        { ...body, ...more },
        key === undefined ? {} : { key },
      );
      return [status, (told["error"] as { readonly code?: unknown }).code];
    };
    const path = `models/${model}/log`;
    expect(await log(path, { split: "" })).toEqual([422, "validation_error"]);
    expect(await log(path, { split: "x".repeat(129) })).toEqual([422, "validation_error"]);
    expect(await log(path, { model_id: "other" })).toEqual([422, "validation_error"]);
    expect(await log(path, { trajectory_groups: [{ trajectories: [{ reward: "1" }] }] })).toEqual([
      422,
      "validation_error",
    ]);
    expect(await log("models/unknown/log", {})).toEqual([404, "model_not_found"]);
    expect(await log(path, {}, eve.key)).toEqual([404, "model_not_found"]);
  });
});

describe("checkpoints and models", () => {
  it("are deleted by step, each counted, once", async () => {
    const model = await register("steps");
    for (const step of [1, 1, 2, 3]) await engine.training.addCheckpoint(model, { step });
    const path = `models/${model}/checkpoints`;
    const foreign = await send("DELETE", path, { steps: [1] }, { key: eve.key });
    expect(foreign.body).toEqual({ deleted_count: 0, not_found_steps: [1] });
    const { body } = await send("DELETE", path, { steps: [9, 1, 1, 2, 8] });
    expect(body).toEqual({ deleted_count: 3, not_found_steps: [9, 8] });
    expect((await send("GET", path)).body).toMatchObject({ data: [{ step: 3 }] });
    for (const wrong of [undefined, {}, { steps: "1" }, { steps: [1.5] }, { steps: Array(10_001).fill(1) }])
      expect((await send("DELETE", path, wrong)).status).toBe(422);
  });

  it("are deleted together, and the name is free again", async () => {
    const model = await register("gone");
    await engine.training.addCheckpoint(model, { step: 1 });
    expect((await send("DELETE", `models/${model}`, undefined, { key: eve.key })).status).toBe(404);
    const { status, body } = await send("DELETE", `models/${model}`);
    expect([status, body]).toEqual([200, { model_id: model, deleted_checkpoints: 1, deleted_run: false }]);
    expect(await send("DELETE", `models/${model}`)).toMatchObject({
      status: 404,
      body: { error: { code: "model_not_found" } },
    });
    expect(await register("gone")).not.toBe(model);
  });

  it("of supervised training are refused by name", async () => {
    const { status, body, response } = await send("POST", "sft-training-jobs", {});
    expect([status, response.headers.get("x-should-retry")]).toEqual([404, "false"]);
    expect(body).toMatchObject({ error: { code: "not_offered" } });
    expect(JSON.stringify(body)).toContain("/v1/preview/training-jobs");
    expect((await send("PUT", "models/x/checkpoints")).response.headers.get("allow")).toBe("GET, DELETE");
  });
});
