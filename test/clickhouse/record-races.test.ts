import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { noClickHouse, sharedClickHouse } from "../support/clickhouse-server.ts";
import { because } from "../support/skipped.ts";

const ROUNDS = Number(process.env["COUNT"] ?? 5);
const PROJECT = "acme/races";
const MODEL = "0198b0d4-0000-4000-8000-00000000000a";
const ANN = { userId: "ann" };

function record(id: string, payload: object = {}) {
  const project_id = PROJECT;
  return { id, project_id, svc_ref: `svc:///${PROJECT}/call/c`, feedback_type: "free", payload };
}

function object(val: object): string {
  return JSON.stringify({ obj: { project_id: PROJECT, object_id: "o", val } });
}

describe.skipIf(noClickHouse !== null)(`two processes that write at once${because(noClickHouse)}`, () => {
  let engines: readonly [Engine, Engine, Engine];

  beforeAll(async () => {
    const url = await sharedClickHouse();
    const open = () => openEngine({ clickhouse: { url, database: `races_${process.pid}` } });
    engines = [await open(), await open(), await open()];
  });

  afterAll(async () => {
    for (const engine of engines) await engine.close();
  });

  const outcomes = async <T>(work: (engine: Engine, i: number) => Promise<T>): Promise<(T | string)[]> =>
    Promise.all(
      engines.map((engine, i) => work(engine, i).catch((error: unknown) => (error as { code: string }).code)),
    );

  it("answer the same record where they say the same of an id", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const answers = await outcomes((engine) => engine.feedback.create(record(`same${round}`), ANN));
      expect(new Set(answers.map((one) => JSON.stringify(one))).size).toBe(1);
    }
    const { data } = await engines[0].feedback.list(PROJECT, { limit: 1000 });
    expect(data.filter(({ id }) => id.startsWith("same"))).toHaveLength(ROUNDS);
  });

  it("have one winner where they say different things of an id; the others are refused", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const answers = await outcomes((engine, i) =>
        engine.feedback.create(record(`other${round}`, { i }), ANN),
      );
      const won = answers.filter((one) => typeof one !== "string");
      expect(answers.filter((one) => one === "conflict")).toHaveLength(engines.length - 1);
      const { data } = await engines[0].feedback.list(PROJECT, { limit: 1000 });
      expect(data.filter(({ id }) => id === `other${round}`)).toEqual(won);
    }
  });

  it("leave nothing of a batch that comes second in one id", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const answers = await outcomes((engine, i) =>
        engine.feedback.createMany([record(`batch${round}`, { i }), record(`batch${round}-${i}`)], ANN),
      );
      const winner = answers.findIndex((one) => typeof one !== "string");
      expect(answers.filter((one) => one === "conflict")).toHaveLength(engines.length - 1);
      const { data } = await engines[0].feedback.list(PROJECT, { limit: 1000 });
      const ids = data.map(({ id }) => id).filter((id) => id.startsWith(`batch${round}`));
      expect(ids.filter((id) => !id.includes(`batch${round}-`))).toEqual([`batch${round}`]);
      expect(ids.filter((id) => id.includes(`batch${round}-`))).toEqual([`batch${round}-${winner}`]);
    }
  });

  it("register one model of a name, and create one job of a key", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const model = { project: "p", name: `n${round}`, base_model: "b", return_existing: true };
      const models = await outcomes((engine) => engine.training.registerModel(model, { entity: "e" }));
      expect(new Set(models.map((one) => JSON.stringify(one))).size).toBe(1);
      const job = { model_id: MODEL, trajectory_groups: [] };
      const jobs = await outcomes((engine) =>
        engine.training.createJob(job, { idempotencyKey: `k${round}` }),
      );
      expect(new Set(jobs.map((one) => JSON.stringify(one))).size).toBe(1);
      const [created] = jobs;
      const id = typeof created === "object" ? created.id : "";
      for (const engine of engines) expect(await engine.training.getJob(id)).toMatchObject({ id });
    }
  });

  it("number the versions of an object once, and list all events", async () => {
    const versions = await outcomes(async (engine, i) => {
      const val = { shared: 1 };
      await engine.weave.createObject(object(val), ANN);
      await engine.weave.createObject(object({ i }), ANN);
      await engine.training.addEvent("job", { type: `${i}` });
      return i;
    });
    expect(versions).toEqual([0, 1, 2]);
    let text = "";
    for await (const piece of engines[1].weave.queryObjects(
      JSON.stringify({ project_id: PROJECT, metadata_only: true }),
      ANN,
    ))
      text += piece;
    const { objs } = JSON.parse(text) as { objs: { version_index: number; is_latest: number }[] };
    expect(objs.map((one) => one.version_index)).toEqual([0, 1, 2, 3]);
    expect(objs.filter((one) => one.is_latest === 1)).toHaveLength(1);
    const { data } = await engines[2].training.listEvents("job");
    expect(data.map(({ type }) => type).toSorted()).toEqual(["0", "1", "2"]);
  });
});
