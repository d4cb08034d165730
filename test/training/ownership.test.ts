import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generateKey } from "../../src/http/keys/key-ring.ts";
import { openEngine, type Engine } from "../../src/index.ts";
import { startService, type TestService } from "../http/running-service.ts";
import { isOnServer, recordDatabase } from "../support/record-database.ts";
import { refusal } from "../support/refusal.ts";

const ABSENT = "0198b0d4-0000-4000-8000-ffffffffffff";

let engine: Engine;
let service: TestService;
const handed: string[] = [];

const people = {
  ann: generateKey("ann", ["acme/*"], new Date()),
  bob: generateKey("bob", ["acme/qa"], new Date()),
  eve: generateKey("eve", ["evil/*"], new Date()),
};
type Person = keyof typeof people;

beforeAll(async () => {
  engine = await openEngine({ ...(await recordDatabase()), onJob: ({ id }) => void handed.push(id) });
  const keys = { version: 1 as const, keys: Object.values(people).map(({ entry }) => entry) };
  service = await startService({ records: engine, keys });
});

afterAll(async () => {
  await service.stop();
  await engine.close();
});

let next = 0;
const newId = () => `0198b0d4-0000-4000-8000-${String(++next).padStart(12, "0")}`;

/** The whole answer to a person, but for what differs from request to request. */
async function ask(person: Person, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await service.fetch(path, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      authorization: `Bearer ${people[person].key}`,
      "content-type": "application/json",
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const kept = [...response.headers].filter(([name]) => name !== "date" && name !== "x-request-id");
  return { status: response.status, headers: kept, body: await response.text() };
}

const jobOf = (model_id: string) => ({ model_id, trajectory_groups: [{ trajectories: [{ reward: 1 }] }] });
const post = (person: Person, model: string, headers: Record<string, string> = {}) =>
  ask(person, "/v1/preview/training-jobs", jobOf(model), headers);
const checkpoints = (person: Person, model: string, query = "") =>
  ask(person, `/v1/preview/models/${model}/checkpoints${query}`);
const events = (person: Person, job: string, query = "") =>
  ask(person, `/v1/preview/training-jobs/${job}/events${query}`);

const EMPTY_PAGE = { object: "list", data: [], first_id: "", last_id: "", has_more: false };

async function steps(person: Person, model: string): Promise<unknown> {
  const { status, body } = await checkpoints(person, model);
  expect(status).toBe(200);
  return (JSON.parse(body) as { data: { step: number }[] }).data.map(({ step }) => step);
}

async function registered(projectId: string): Promise<string> {
  const [entity = "", project] = projectId.split("/");
  const request = { project, name: `m${++next}`, base_model: "b" };
  return (await engine.training.registerModel(request, { entity })).id;
}

describe("the checkpoints of a model that is not registered", () => {
  it("are the library's own while no job names it", async () => {
    const model = newId();
    await engine.training.addCheckpoint(model, { step: 1 });
    expect(await steps("ann", model)).toEqual([]);
    expect((await engine.training.listCheckpoints(model)).data).toMatchObject([{ step: 1 }]);
  });

  it("belong to the projects of the jobs that name it", async () => {
    const model = newId();
    expect((await post("ann", model, { "openai-project": "acme/qa" })).status).toBe(200);
    await engine.training.addCheckpoint(model, { step: 1 });
    expect(await steps("ann", model)).toEqual([1]);
    expect(await steps("bob", model)).toEqual([1]);
    expect(await steps("eve", model)).toEqual([]);
    if (isOnServer) return;
    const seen = async (project: string) =>
      (await engine.sql(project, "select step from checkpoints where model_id = ?", [model])).numRows;
    expect([await seen("acme/qa"), await seen("acme/other"), await seen("evil/x")]).toEqual([1, 0, 0]);
  });

  it("belong to the user whose job names it, where the job names no project", async () => {
    const model = newId();
    expect((await post("ann", model)).status).toBe(200);
    await engine.training.addCheckpoint(model, { step: 1 });
    expect(await steps("ann", model)).toEqual([1]);
    expect(await steps("bob", model)).toEqual([]);
    expect((await post("ann", model, { "openai-project": "acme/qa" })).status).toBe(200);
    expect(await steps("bob", model)).toEqual([1]);
  });

  it("stay with its project once it is another's that a job is sent from", async () => {
    const model = newId();
    await post("ann", model, { "openai-project": "acme/qa" });
    await engine.training.addCheckpoint(model, { step: 1 });
    const refused = await post("eve", model, { "openai-project": "evil/x" });
    expect(refused.status).toBe(404);
    expect(await steps("eve", model)).toEqual([]);
  });
});

describe("what is another project's", () => {
  it("answers like what does not exist, to the byte", async () => {
    const model = await registered("acme/qa");
    const checkpoint = await engine.training.addCheckpoint(model, { step: 1, metrics: { loss: 1 } });
    const { id: job } = await engine.training.createJob(jobOf(model), {
      projectId: "acme/qa",
      userId: "ann",
    });
    const event = await engine.training.addEvent(job, { type: "training_started" });
    for (const query of ["", "?limit=0", `?after=${checkpoint.id}`, `?after=${event.id}`, "?order=desc"]) {
      expect(await checkpoints("eve", model, query)).toEqual(await checkpoints("eve", ABSENT, query));
      expect(await events("eve", job, query)).toEqual(await events("eve", ABSENT, query));
    }
    expect(JSON.parse((await checkpoints("eve", model)).body)).toEqual(EMPTY_PAGE);
    expect(await events("eve", job)).toMatchObject({ status: 404 });
    expect(await steps("bob", model)).toEqual([1]);
    expect((await events("bob", job)).status).toBe(200);
  });

  it("cannot be trained: nothing is stored and nothing handed to the trainer", async () => {
    const jobsBefore = handed.length;
    const model = await registered("acme/qa");
    const { id } = await engine.training.createJob(jobOf(newId()), { projectId: "acme/qa" });
    const unregistered = (await engine.training.getJob(id))?.model_id ?? "";
    await new Promise(setImmediate);
    const key = { "idempotency-key": "once" };
    const refused = await post("eve", model, key);
    expect(refused).toMatchObject({ status: 404 });
    expect(JSON.parse(refused.body)).toEqual({
      error: {
        message: "There is no model with this model_id.",
        type: "not_found_error",
        param: null,
        code: "model_not_found",
      },
    });
    expect(await post("eve", unregistered)).toEqual(refused);
    expect(await post("eve", model.toUpperCase(), { "openai-project": "evil/x" })).toEqual(refused);
    await new Promise(setImmediate);
    expect(handed.slice(jobsBefore)).toEqual([id]);
    for (const project of isOnServer ? [] : ["acme/qa", "evil/x"]) {
      const named = await engine.sql(project, "select id from training_jobs where model_id = ?", [model]);
      expect(named.numRows).toBe(0);
    }
    // The idempotency key was not used up.
    expect((await post("eve", newId(), key)).status).toBe(200);
  });

  it("cannot be trained by the library either, in the name of a project", async () => {
    const model = await registered("acme/qa");
    const error = await refusal(engine.training.createJob(jobOf(model), { projectId: "acme/other" }));
    expect(error.code).toBe("model_not_found");
    expect(await engine.training.createJob(jobOf(model), { projectId: "acme/qa" })).toHaveProperty("id");
    expect(await engine.training.createJob(jobOf(model))).toHaveProperty("id");
  });
});
