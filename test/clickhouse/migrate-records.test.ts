import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { migrate } from "../../src/engine/migrate.ts";
import { openEngine, type Engine, type EngineOptions } from "../../src/index.ts";
import { exampleCalls, PROJECT, temporaryFolder } from "../cli/command.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { because } from "../support/skipped.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);

const CALLER = { userId: "ann", authorize: () => {} };
const MODEL = "0198b0d4-0000-4000-8000-00000000000a";
const OBJECT = { project_id: PROJECT, object_id: "prompt" };
const TABLE = `{"table":{"project_id":"${PROJECT}","rows":[{"n":1.0},{"n":98765432109876543210},{"t":"\\ud83d"}]}}`;
const BYTES = Uint8Array.from({ length: 256 }, (_, i) => i);

/** What is not asked for by id, and where it is. */
interface Stored {
  readonly job: string;
  readonly model: string;
  readonly file: string;
  readonly table: string;
}

async function fill(engine: Engine): Promise<Stored> {
  await engine.ingestCalls(exampleCalls());
  await engine.feedback.createMany(
    Array.from({ length: 30 }, (_, n) => ({
      project_id: PROJECT,
      svc_ref: `svc:///${PROJECT}/call/good-${n % 3}`,
      feedback_type: n % 2 === 0 ? "stars" : "wandb.reaction.1",
      payload: { stars: n, exact: 2 ** 53 + 1, text: "😀" },
    })),
    { userId: "ann" },
  );
  const { training, usage, weave } = engine;
  const { id: model } = await training.registerModel(
    { project: "qa", name: "m", base_model: "b" },
    { entity: "acme" },
  );
  const trajectory_groups = [{ trajectories: [{ reward: 0.5, metrics: { a: 2n ** 63n } }, {}] }];
  const options = { idempotencyKey: "k", keyId: "a", userId: "ann", projectId: PROJECT };
  const { id: job } = await training.createJob({ model_id: MODEL, trajectory_groups }, options);
  await training.createJob({ model_id: MODEL, trajectory_groups: [] });
  for (const step of [3, 1]) await training.addCheckpoint(model, { step, metrics: { reward: step / 3 } });
  for (const type of ["first", "second", "third"]) await training.addEvent(job, { type, data: { type } });
  // A client may name two requests alike.
  for (const latencyMs of [1.25, 2.5])
    usage.recordUsage({
      requestId: "r",
      keyId: "a",
      user: "ann",
      project: PROJECT,
      model: "m",
      startedAt: new Date(1_767_225_600_000),
      status: 200,
      streamed: false,
      outcome: "ok",
      promptTokens: 3,
      completionTokens: null,
      cachedTokens: null,
      latencyMs,
      firstTokenMs: null,
    });
  await usage.flush();
  // The first version is the latest one again.
  for (const text of ["one", "two", "three", "one"])
    await weave.createObject(JSON.stringify({ obj: { ...OBJECT, val: { text, n: 1 } } }), CALLER);
  const { digest: file } = JSON.parse(
    await weave.createFile({ project_id: PROJECT, file: BYTES }, CALLER),
  ) as {
    digest: string;
  };
  await weave.createFile({ project_id: PROJECT, file: new Uint8Array() }, CALLER);
  const { digest: table } = JSON.parse(await weave.createTable(TABLE, CALLER)) as { digest: string };
  const price = { prompt_token_cost: 0.1, completion_token_cost: 1e-9, effective_date: "1998-10-03" };
  await weave.createCosts(ask({ costs: { "small/~": price, other: price } }), CALLER);
  return { job, model, file, table };
}

async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const piece of pieces) text += piece;
  return text;
}

function ask(request: object): string {
  return JSON.stringify({ project_id: PROJECT, ...request });
}

async function answers(engine: Engine, { job, model, file, table }: Stored): Promise<unknown> {
  const { feedback, training, weave } = engine;
  return {
    feedback: await feedback.listJson(PROJECT, { limit: 100 }),
    job: await training.getJob(job),
    again: (
      await training.createJob(
        {
          model_id: MODEL,
          trajectory_groups: [{ trajectories: [{ reward: 0.5, metrics: { a: 2n ** 63n } }, {}] }],
        },
        { idempotencyKey: "k", keyId: "a", userId: "ann", projectId: PROJECT },
      )
    ).id,
    model: await training.getModel(model),
    checkpoints: await training.listCheckpoints(model),
    events: await training.listEvents(job),
    versions: await textOf(weave.queryObjects(ask({}), CALLER)),
    latest: await weave.readObject(ask({ object_id: "prompt", digest: "latest" }), CALLER),
    prices: await textOf(weave.queryCosts(ask({}), CALLER)),
    second: await weave.readObject(ask({ object_id: "prompt", digest: "v1" }), CALLER),
    table: await weave.countTable(ask({ digest: table }), CALLER),
    file: [...(await weave.readFile(ask({ digest: file }), CALLER))],
  };
}

describe.skipIf(noClickHouse !== null)(
  `records beside evaluations that are copied${because(noClickHouse)}`,
  () => {
    it("answer with the same texts from a server, and in a file again", async () => {
      const url = await sharedClickHouse();
      const file: EngineOptions = { path: join(folder, "records.duckdb") };
      const server: EngineOptions = { clickhouse: { url, database: scratchDatabase(url) } };
      const back: EngineOptions = { path: join(folder, "back.duckdb") };
      const source = await openEngine(file);
      const stored = await fill(source);
      const expected = await answers(source, stored);
      const rows = await textOf(source.weave.queryTable(ask({ digest: stored.table }), CALLER));
      await source.close();
      const counts = await migrate({ ...file, readOnly: true }, server, {});
      expect(counts).toMatchObject({
        feedback: 30,
        training_jobs: 2,
        training_idempotency: 1,
        trajectories: 2,
        training_models: 1,
        checkpoints: 2,
        training_events: 3,
        usage: 2,
        model_prices: 2,
        object_versions: 3,
        row_tables: 1,
        stored_files: 2,
      });
      expect(await migrate({ ...server, readOnly: true }, back, {})).toEqual(counts);
      for (const options of [server, back]) {
        const engine = await openEngine(options);
        expect(await answers(engine, stored)).toEqual(expected);
        await engine.close();
      }
      const inFile = await openEngine(back);
      expect(await textOf(inFile.weave.queryTable(ask({ digest: stored.table }), CALLER))).toBe(rows);
      await inFile.close();
    }, 300_000);
  },
);
