import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RecordStore, Store } from "../../src/store/session.ts";
import { sql } from "../../src/store/sql.ts";
import { createSqlTrainingStore } from "../../src/training/sql-store.ts";
import { createTraining, type Training } from "../../src/training/training.ts";
import { openRecords } from "../support/record-database.ts";

const MODEL = "0198b0d4-0000-4000-8000-00000000000a";

let store: RecordStore & Store;
let training: Training;

beforeAll(async () => {
  store = await openRecords();
  training = createTraining(createSqlTrainingStore(store));
});

afterAll(() => store.close());

describe("training records in the database", () => {
  it("keep a job as it was sent, and its trajectories in columns", async () => {
    const raw = `{ "model_id":"${MODEL.toUpperCase()}","trajectory_groups":[{"trajectories":[
      {"reward":0.5,"metrics":{"a":1},"initial_policy_version":3,"start_time":"2026-01-01T00:00:00Z","metadata":{"n":9007199254740993}},
      {}]},{"trajectories":[{"reward":-1,"metrics":{"b":true}}]}]}`;
    const { id } = await training.createJob(JSON.parse(raw), { raw, userId: "ann", projectId: "acme/qa" });
    expect(await training.getJob(id)).toMatchObject({
      id,
      model_id: MODEL,
      raw,
      user_id: "ann",
      project_id: "acme/qa",
    });
    expect(await training.getJob(id.toUpperCase())).not.toBeNull();
    const rows = await store.read((session) =>
      session.rows(sql`SELECT group_index, trajectory_index, reward, initial_policy_version, metrics, start_time
        FROM trajectories ORDER BY ALL`),
    );
    expect(rows).toEqual([
      [0, 0, 0.5, 3, '{"a":1}', 1_767_225_600_000_000n],
      [0, 1, 0, null, "{}", null],
      [1, 0, -1, null, '{"b":true}', null],
    ]);
  });

  it("keep the digits of a metric that is given as a bigint", async () => {
    const metrics = { a: 2n ** 63n };
    const trajectory_groups = [{ trajectories: [{ metrics }] }];
    await training.createJob({ model_id: MODEL, trajectory_groups });
    const rows = await store.read((session) =>
      session.rows(sql`SELECT count(*) FROM trajectories WHERE metrics = '{"a":9223372036854775808}'`),
    );
    expect(rows).toEqual([[1n]]);
  });

  it("know a repeated request by its key, and only within one credential", async () => {
    const request = { model_id: MODEL, trajectory_groups: [] };
    const options = { idempotencyKey: "k", keyId: "a" };
    const { id } = await training.createJob(request, options);
    const again = await Promise.all(Array.from({ length: 5 }, () => training.createJob(request, options)));
    expect(new Set(again.map((job) => job.id))).toEqual(new Set([id]));
    expect((await training.createJob(request, { ...options, keyId: "b" })).id).not.toBe(id);
    expect((await training.createJob(request, { idempotencyKey: "k" })).id).not.toBe(id);
    const other = { ...request, experimental_config: {} };
    await expect(training.createJob(other, options)).rejects.toThrow("used for another request");
  });

  it("page through checkpoints by step and id in both directions", async () => {
    for (const step of [3, 1, 2, 2, -1])
      await training.addCheckpoint(MODEL, { step, metrics: { loss: 1e-7 } });
    const walk = async (order: "asc" | "desc") => {
      const seen: string[] = [];
      let after: string | undefined;
      for (let more = true; more;) {
        const page = await training.listCheckpoints(MODEL, { limit: 2, order, after });
        seen.push(...page.data.map(({ step, id }) => `${step} ${id}`));
        more = page.has_more;
        after = page.last_id;
      }
      return seen;
    };
    const up = await walk("asc");
    expect(up.map((entry) => Number(entry.split(" ")[0]))).toEqual([-1, 1, 2, 2, 3]);
    expect(await walk("desc")).toEqual(up.toReversed());
    expect((await training.listCheckpoints(MODEL)).data[0]?.metrics).toEqual({ loss: 1e-7 });
    expect((await training.listCheckpoints("'; --")).data).toEqual([]);
    await expect(training.listCheckpoints("other", { after: up[0]?.split(" ")[1] })).rejects.toThrow(
      "no such item",
    );
  });

  it("tell events in their order, and models by their name", async () => {
    const { id } = await training.createJob({ model_id: MODEL, trajectory_groups: [] });
    await training.addEvent(id, { type: "training_started", data: { num_sequences: 2 } });
    await training.addEvent(id, { type: "training_ended" });
    const first = await training.listEvents(id, { limit: 1 });
    expect(first).toMatchObject({
      has_more: true,
      data: [{ type: "training_started", data: { num_sequences: 2 } }],
    });
    const rest = await training.listEvents(id, { after: first.last_id });
    expect(rest).toMatchObject({ has_more: false, data: [{ type: "training_ended", data: {} }] });
    const model = { entity: "e", project: "p", name: "n", base_model: "b", return_existing: true };
    const registered = await training.registerModel(model, { entity: "x" });
    expect(await training.registerModel(model, { entity: "x" })).toEqual(registered);
    expect(await training.getModel(registered.id)).toEqual(registered);
    expect(await training.getModel("none")).toBeNull();
  });
});
