import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { startService, type TestService } from "../http/running-service.ts";
import { createTraining, type Training } from "../../src/training/training.ts";
import { createSqlTrainingStore } from "../../src/training/sql-store.ts";
import { openRecords } from "../support/record-database.ts";
import { until } from "../support/until.ts";

const MODEL = "0198b0d4-0000-4000-8000-00000000000a";
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let service: TestService;

beforeAll(async () => {
  service = await startService({ limits: { training: 1024 * 1024 } });
});

afterAll(() => service.stop());

function post(
  body: unknown,
  headers: Record<string, string> = {},
  path = "/v1/preview/training-jobs",
): Promise<Response> {
  return service.fetch(path, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json", ...headers },
  });
}

async function idOf(response: Response): Promise<string> {
  expect(response.status).toBe(200);
  return ((await response.json()) as { id: string }).id;
}

function jobWith(trajectory: unknown, config: unknown = null): Record<string, unknown> {
  return {
    model_id: MODEL,
    trajectory_groups: [{ trajectories: [trajectory] }],
    experimental_config: config,
  };
}

/** What ART's client sends: nulls, members of its own, choices with log probabilities. */
const ART_JOB = {
  model_id: MODEL,
  trajectory_groups: [
    {
      trajectories: [
        {
          messages_and_choices: [
            { role: "user", content: "hi" },
            {
              finish_reason: "stop",
              index: 0,
              message: { role: "assistant", content: "yes", refusal: null },
              logprobs: {
                content: [{ token: "yes", logprob: -0.1, bytes: [121], top_logprobs: [] }],
                refusal: null,
              },
              token_ids: [1],
            },
          ],
          tools: null,
          additional_histories: [{ messages_and_choices: [], tools: null }],
          reward: 0.5,
          initial_policy_version: null,
          final_policy_version: 3,
          metrics: { won: true, score: 1.5 },
          metadata: { id: "x", seed: null },
          logs: ["a line"],
        },
      ],
      exceptions: [{ type: "x", message: "y", traceback: "z" }],
      metadata: {},
      metrics: {},
      logs: [],
    },
  ],
  experimental_config: {
    epsilon: null,
    importance_sampling_level: "token",
    kimi_k2_tau: 0.1,
    ppo: null,
    loss_fn: "cispo",
  },
};

describe("a training job", () => {
  it("of ART's client is stored as it was sent", async () => {
    const raw = JSON.stringify(ART_JOB);
    const response = await post(raw);
    expect(response.headers.get("x-should-retry")).toBe("false");
    const id = await idOf(response);
    expect(id).toMatch(UUID);
    const job = await service.training.getJob(id);
    expect(job).toMatchObject({ id, model_id: MODEL, project_id: null, user_id: "ann", request: ART_JOB });
    expect(job?.raw).toBe(raw);
  });

  it("keeps every digit", async () => {
    const raw = `{"model_id":"${MODEL}","trajectory_groups":[{"trajectories":[{"metadata":{"n":9007199254740993}}]}]}`;
    const job = await service.training.getJob(await idOf(await post(raw)));
    expect(job?.raw).toBe(raw);
    expect(job?.request).toMatchObject({
      trajectory_groups: [{ trajectories: [{ metadata: { n: 9007199254740993n } }] }],
    });
  });

  it("may be empty in every place but the required ones", async () => {
    for (const body of [jobWith({}), jobWith({}, {}), { model_id: MODEL, trajectory_groups: [] }]) {
      expect(await idOf(await post(body))).toMatch(UUID);
    }
  });

  it("records 0 as the reward of a trajectory that says none", async () => {
    const bare = {
      model_id: MODEL,
      trajectory_groups: [{ trajectories: [{}, { reward: -1.5 }, { logs: [] }] }],
    };
    const raw = JSON.stringify(bare);
    const job = await service.training.getJob(await idOf(await post(raw)));
    expect(job?.request).toEqual({
      model_id: MODEL,
      trajectory_groups: [{ trajectories: [{ reward: 0 }, { reward: -1.5 }, { reward: 0, logs: [] }] }],
    });
    expect(job?.raw).toBe(raw);
  });

  it("takes the model's uuid in any case, with or without hyphens", async () => {
    for (const spelling of [MODEL.toUpperCase(), MODEL.replaceAll("-", "")]) {
      const id = await idOf(await post({ ...jobWith({}), model_id: spelling }));
      expect((await service.training.getJob(id))?.model_id).toBe(MODEL);
    }
  });

  it.each([
    ["no model", { trajectory_groups: [] }, ["model_id"]],
    ["a model that is no uuid", { model_id: "x", trajectory_groups: [] }, ["model_id"]],
    ["no groups", { model_id: MODEL }, ["trajectory_groups"]],
    ["groups that are no list", { model_id: MODEL, trajectory_groups: {} }, ["trajectory_groups"]],
    [
      "a group without trajectories",
      { model_id: MODEL, trajectory_groups: [{}] },
      ["trajectory_groups", 0, "trajectories"],
    ],
    ["a reward in words", jobWith({ reward: "x" }), ["trajectory_groups", 0, "trajectories", 0, "reward"]],
    ["a log of numbers", jobWith({ logs: [1] }), ["trajectory_groups", 0, "trajectories", 0, "logs", 0]],
    [
      "a start at no time",
      jobWith({ start_time: "nope" }),
      ["trajectory_groups", 0, "trajectories", 0, "start_time"],
    ],
    [
      "half a version",
      jobWith({ final_policy_version: 1.5 }),
      ["trajectory_groups", 0, "trajectories", 0, "final_policy_version"],
    ],
    ["a switch in words", jobWith({}, { ppo: "yes" }), ["experimental_config", "ppo"]],
    ["a list", [], []],
  ])("with %s is refused, and says where", async (_name, body, loc) => {
    const response = await post(body);
    expect(response.status).toBe(422);
    const answer = (await response.json()) as {
      error: { message: string; code: string };
      detail: { loc: unknown }[];
    };
    expect(answer.detail[0]?.loc).toEqual(["body", ...loc]);
    expect(answer.error).toMatchObject({ type: "invalid_request_error", code: "validation_error" });
    expect(answer.error.message).not.toBe("");
  });

  it("that is not JSON, or nests too deep, is a 400", async () => {
    const deep = `{"model_id":"${MODEL}","trajectory_groups":${"[".repeat(80)}${"]".repeat(80)}}`;
    for (const body of ["{", "", deep]) {
      const response = await post(body);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { code: "invalid_json" } });
    }
  });

  it("may be as long as the limit, but not longer", async () => {
    const body = JSON.stringify(jobWith({})).padEnd(1024 * 1024);
    expect(await idOf(await post(body))).toMatch(UUID);
    const response = await post(`${body} `);
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { code: "request_too_large" } });
  });

  it("may be 60 MiB long by default, and not 300 MiB", async () => {
    const usual = await startService();
    const headers = { authorization: `Bearer ${usual.key}`, "content-type": "application/json" };
    const body = JSON.stringify(jobWith({ metadata: { pad: "x".repeat(60 << 20) } }));
    const path = "/v1/preview/training-jobs";
    expect((await usual.fetch(path, { method: "POST", headers, body })).status).toBe(200);
    const announced = request(usual.url + path, {
      method: "POST",
      headers: { ...headers, "content-length": 300 << 20 },
    });
    announced.flushHeaders();
    const [response] = (await once(announced, "response")) as [IncomingMessage];
    expect(response.statusCode).toBe(413);
    announced.destroy();
    await usual.stop();
  });

  it("is one job however often it is sent with one idempotency key", async () => {
    expect(await idOf(await post(ART_JOB))).not.toBe(await idOf(await post(ART_JOB)));
    const key = { "idempotency-key": "once" };
    const id = await idOf(await post(ART_JOB, key));
    expect(await idOf(await post(ART_JOB, key))).toBe(id);
    const other = await post(jobWith({}), key);
    expect(other.status).toBe(422);
    expect(await other.json()).toMatchObject({ error: { code: "idempotency_mismatch" } });
    expect((await post(ART_JOB, { "idempotency-key": "x".repeat(256) })).status).toBe(400);
  });

  it("belongs to the project that the header names, and to nobody else's", async () => {
    const id = await idOf(await post(ART_JOB, { "openai-project": "acme/qa" }));
    expect((await service.training.getJob(id))?.project_id).toBe("acme/qa");
    expect((await post(ART_JOB, { "openai-project": "other/qa" })).status).toBe(403);
  });
});

async function openTrainingStore() {
  const records = await openRecords();
  onTestFinished(() => records.close());
  return createSqlTrainingStore(records);
}

describe("handing a job to a trainer", () => {
  it("happens once, after it has been stored", async () => {
    const handed: string[] = [];
    const training: Training = createTraining(await openTrainingStore(), {
      async onJob(job) {
        expect(await training.getJob(job.id)).toEqual(job);
        handed.push(job.id);
      },
    });
    const options = { idempotencyKey: "k", keyId: "a" };
    const { id } = await training.createJob(jobWith({}), options);
    await training.createJob(jobWith({}), options);
    await until("the job is handed over", () => handed.length > 0);
    expect(handed).toEqual([id]);
  });

  it("that fails is an event of the job", async () => {
    const training = createTraining(await openTrainingStore(), {
      onJob() {
        throw new Error("no trainer");
      },
    });
    const { id } = await training.createJob(jobWith({}));
    await expect
      .poll(async () => (await training.listEvents(id)).data)
      .toMatchObject([{ type: "training_failed", data: { error_message: "no trainer" } }]);
  });
});

interface List {
  readonly data: { id: string; step: number; metrics: unknown }[];
  readonly first_id: string;
  readonly last_id: string;
  readonly has_more: boolean;
}

describe("the checkpoints of a model", () => {
  let model: string;
  let next = 0;

  beforeEach(async () => {
    const asked = { project: "qa", name: `checkpoints-${++next}`, base_model: "b" };
    ({ id: model } = await service.training.registerModel(asked, { entity: "acme" }));
  });

  const list = async (query = "", id = model) =>
    service.fetch(`/v1/preview/models/${id}/checkpoints${query}`, {
      headers: { authorization: `Bearer ${service.key}` },
    });
  const read = async (query = "") => (await (await list(query)).json()) as List;
  const add = async (...steps: number[]) => {
    for (const step of steps)
      await service.training.addCheckpoint(model, { step, metrics: { loss: step / 2 } });
  };

  it("are an empty page at first, whatever the id looks like", async () => {
    for (const id of [model, "not-a-uuid", "wandb%3Ax"]) {
      const response = await list("", id);
      expect(response.status).toBe(200);
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect(await response.json()).toEqual({
        object: "list",
        data: [],
        first_id: "",
        last_id: "",
        has_more: false,
      });
    }
  });

  it("come twenty at a time in the order of their steps", async () => {
    await add(...Array.from({ length: 45 }, (_, at) => 44 - at));
    const page = await read();
    expect(page.data.map(({ step }) => step)).toEqual(Array.from({ length: 20 }, (_, at) => at));
    expect(page.data[1]?.metrics).toEqual({ loss: 0.5 });
    expect(page).toMatchObject({ has_more: true, first_id: page.data[0]?.id, last_id: page.data[19]?.id });
    expect((await read("?limit=100")).data).toHaveLength(45);
  });

  it("begin with the highest step in descending order", async () => {
    await add(7, 3, 9, 1);
    expect((await read("?limit=1&order=desc")).data[0]?.step).toBe(9);
  });

  it("are complete when exactly one page is there", async () => {
    await add(...Array.from({ length: 20 }, (_, at) => at));
    expect((await read()).has_more).toBe(false);
    expect((await read("?limit=1&limit=3")).data).toHaveLength(3);
  });

  it("of one step stay in one order, and none is seen twice while others arrive", async () => {
    await add(1, 1, 1, 1, 2);
    const seen: string[] = [];
    for (let after = "", more = true; more;) {
      const page = await read(`?limit=2&after=${after}`);
      seen.push(...page.data.map(({ id }) => id));
      more = page.has_more;
      after = page.last_id;
      await add(0);
    }
    expect(new Set(seen).size).toBe(5);
    expect(seen).toHaveLength(5);
    const down = await read("?order=desc&limit=100");
    expect(down.data.map(({ id }) => id).slice(0, 5)).toEqual(seen.toReversed());
  });

  it.each([
    ["limit", "limit=0"],
    ["limit", "limit=101"],
    ["limit", "limit=abc"],
    ["limit", "limit=1.5"],
    ["limit", "limit=1e1"],
    ["limit", "limit=-1"],
    ["limit", "limit="],
    ["order", "order=ASC"],
    ["order", "order="],
  ])("cannot be asked for with a bad %s (%s)", async (name, query) => {
    const response = await list(`?${query}`);
    expect(response.status).toBe(422);
    const answer = (await response.json()) as { error: unknown; detail: { loc: unknown }[] };
    expect(answer.detail[0]?.loc).toEqual(["query", name]);
    expect(answer.error).toMatchObject({ param: name });
  });

  it("ignore parameters that they do not know", async () => {
    expect((await list("?before=x&foo=1&after=")).status).toBe(200);
  });

  it("have no page after something that is not among them", async () => {
    await add(1);
    const mine = (await read()).last_id;
    expect(await read(`?after=${mine}`)).toMatchObject({ data: [], has_more: false });
    await service.training.addCheckpoint("0198b0d4-0000-4000-8000-ffffffffffff", { step: 1 });
    const foreign = (await service.training.listCheckpoints("0198b0d4-0000-4000-8000-ffffffffffff")).last_id;
    for (const after of [foreign, "nothing"]) {
      const response = await list(`?after=${after}`);
      expect(response.status).toBe(422);
      expect(await response.json()).toMatchObject({ error: { code: "invalid_cursor", param: "after" } });
    }
  });

  it("lose metrics that are no numbers, and say so", async () => {
    const added = await service.training.addCheckpoint(model, {
      step: 1,
      metrics: { a: 1, b: Number.NaN, c: -Infinity },
    });
    expect(added).toMatchObject({ step: 1, metrics: { a: 1 }, dropped_metrics: ["b", "c"] });
    await service.training.addCheckpoint(model.toUpperCase(), { step: 2 });
    expect((await read()).data.map(({ metrics }) => metrics)).toEqual([{ a: 1 }, {}]);
    await expect(service.training.addCheckpoint(model, { step: 0.5 })).rejects.toThrow(
      "step: must be an integer",
    );
  });
});

function register(body: unknown): Promise<Response> {
  return post(body, {}, "/v1/preview/models");
}

describe("models", () => {
  it("are registered once for each name in a project", async () => {
    const body = {
      entity: null,
      project: "qa",
      name: "m1",
      base_model: "b",
      return_existing: true,
      extra: 1,
    };
    const first = await register(body);
    const model = (await first.json()) as { id: string };
    expect(model).toEqual({
      id: expect.stringMatching(UUID) as unknown,
      entity: "acme",
      project: "qa",
      name: "m1",
      base_model: "b",
      run_id: null,
    });
    expect(await (await register(body)).json()).toEqual(model);
    expect((await register({ ...body, return_existing: false })).status).toBe(422);
    expect((await register({ ...body, entity: "other" })).status).toBe(403);
    expect((await register({ ...body, project: undefined })).status).toBe(422);
  });
});

function readEvents(id: string, query = ""): Promise<Response> {
  return service.fetch(`/v1/preview/training-jobs/${id}/events${query}`, {
    headers: { authorization: `Bearer ${service.key}` },
  });
}

describe("the events of a job", () => {
  it("come in the order in which they were told", async () => {
    const id = await idOf(await post(ART_JOB));
    for (let step = 0; step < 5; step++) {
      await service.training.addEvent(id, { type: "gradient_step", data: { loss: step } });
    }
    const first = (await (await readEvents(id, "?limit=3")).json()) as {
      data: { data: unknown }[];
      last_id: string;
    };
    expect(first.data.map(({ data }) => data)).toEqual([{ loss: 0 }, { loss: 1 }, { loss: 2 }]);
    expect(first).toMatchObject({ object: "list", has_more: true });
    const rest = (await (await readEvents(id, `?after=${first.last_id}`)).json()) as { data: unknown[] };
    expect(rest.data).toMatchObject([{ type: "gradient_step", data: { loss: 3 } }, { data: { loss: 4 } }]);
  });

  it("of somebody else's job, or of none, are not found", async () => {
    const foreign = await service.training.createJob(jobWith({}), { userId: "bob" });
    expect((await readEvents(foreign.id)).status).toBe(404);
    expect((await readEvents("nothing")).status).toBe(404);
    const elsewhere = await service.training.createJob(jobWith({}), { userId: "ann", projectId: "other/x" });
    expect((await readEvents(elsewhere.id)).status).toBe(404);
  });
});
