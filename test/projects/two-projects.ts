import { generateKey } from "../../src/http/keys/key-ring.ts";
import { openEngine, type Engine } from "../../src/index.ts";
import { startService, type TestService } from "../http/running-service.ts";
import { COMPLETION, replyWith, startUpstream } from "../inference/scripted-upstream.ts";
import { root, trial } from "../support/records.ts";

/** Whose records are not to be told of. Everything that is only in them has this word in it. */
export const OWNER = "zebra corp/lab 7";
export const SECRET = "quagga";
/** Whose key asks. */
export const STRANGER = "evil/x";

/** What the owner's records are called by: what a stranger may have come to know, and asks for. */
export interface OwnerIds {
  readonly evaluations: readonly string[];
  readonly calls: readonly string[];
  readonly feedback: readonly string[];
  readonly registeredModels: readonly string[];
  readonly unregisteredModels: readonly string[];
  readonly modelNames: readonly string[];
  readonly checkpoints: readonly string[];
  readonly jobs: readonly string[];
  readonly events: readonly string[];
  readonly idempotencyKeys: readonly string[];
}

/** A service that holds two projects, each with a key of its own. */
export interface TwoProjects {
  readonly engine: Engine;
  readonly service: TestService;
  readonly ids: OwnerIds;
  readonly strangerKey: string;
  readonly strangerKeyId: string;
  /** Models of the jobs that were handed to the trainer. */
  readonly handed: readonly string[];
  stop(): Promise<void>;
}

export async function startTwoProjects(): Promise<TwoProjects> {
  const handed: string[] = [];
  const engine = await openEngine({ threads: 1, onJob: (job) => void handed.push(job.model_id) });
  const upstream = await startUpstream();
  upstream.script("m", replyWith(200, COMPLETION));
  const owner = generateKey(`${SECRET}-ann`, ["zebra corp/*"], new Date());
  const stranger = generateKey("eve", ["evil/*"], new Date());
  const service = await startService({
    keys: { version: 1, keys: [owner.entry, stranger.entry] },
    inference: { upstreams: [{ base_url: upstream.url }] },
    results: engine,
    records: engine,
  });
  await fillStranger(engine);
  const ids = { ...(await fillResults(engine)), ...(await fillTraining(engine, service, owner.key)) };
  return {
    engine,
    service,
    ids,
    strangerKey: stranger.key,
    strangerKeyId: stranger.entry.id,
    handed,
    async stop() {
      await service.stop();
      await upstream.close();
      await engine.close();
    },
  };
}

const list = <T>(make: (at: number) => T) => Array.from({ length: 4 }, (_, at) => make(at));

async function fillStranger(engine: Engine): Promise<void> {
  const project_id = STRANGER;
  await engine.ingestCalls([
    root("mine", { project_id }),
    ...list((at) => trial(`mine-${at}`, { n: at }, { acc: at / 4 }, { project_id, parent_id: "mine" })),
  ]);
}

async function fillResults(engine: Engine) {
  const own = { project_id: OWNER };
  const evaluations = list((at) => `zebra-run-${at}`);
  const calls = evaluations.flatMap((run) => list((at) => `${run}-trial-${at}`));
  await engine.ingestCalls([
    ...evaluations.map((id) => root(id, { ...own, display_name: `${SECRET} run` })),
    ...calls.map((id) => {
      const scores = { acc: 0.5, [`${SECRET}_judge`]: { note: `${SECRET} note` } };
      const inputs = { example: { question: `${SECRET} question ${id}` } };
      const output = { output: `${SECRET} answer`, scores };
      return trial(id, {}, {}, { ...own, parent_id: id.replace(/-trial-\d$/, ""), inputs, output });
    }),
  ]);
  const feedback = list((at) => `zebra-feedback-${at}`);
  for (const [at, id] of feedback.entries()) {
    const svc_ref = `svc:///${OWNER}/call/${calls[at] ?? ""}`;
    const record = { ...own, id, svc_ref, feedback_type: `${SECRET}.type`, payload: { value: SECRET } };
    await engine.feedback.create(record, { userId: `${SECRET}-ann` });
  }
  return { evaluations, calls, feedback };
}

async function fillTraining(engine: Engine, service: TestService, key: string) {
  const { training } = engine;
  const modelNames = list((at) => `zebra-model-${at}`);
  const [entity = "", project] = OWNER.split("/");
  const models = await Promise.all(
    modelNames.map((name) => training.registerModel({ project, name, base_model: SECRET }, { entity })),
  );
  const registeredModels = models.map(({ id }) => id);
  const unregisteredModels = list((at) => `4eb4a000-0000-4000-8000-00000000000${at}`);
  const idempotencyKeys = list((at) => `zebra-once-${at}`);
  const jobs: string[] = [];
  const checkpoints: string[] = [];
  const events: string[] = [];
  for (const [at, model_id] of [...registeredModels, ...unregisteredModels].entries()) {
    const response = await service.fetch("/v1/preview/training-jobs", {
      method: "POST",
      body: JSON.stringify({ model_id, trajectory_groups: [{ trajectories: [{ logs: [SECRET] }] }] }),
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "openai-project": OWNER,
        "idempotency-key": idempotencyKeys[at] ?? `other-${at}`,
      },
    });
    const { id } = (await response.json()) as { id: string };
    jobs.push(id);
    const data = { [SECRET]: SECRET };
    events.push((await training.addEvent(id, { type: `${SECRET}_started`, data })).id);
    const metrics = { [`${SECRET}_loss`]: 1 };
    checkpoints.push((await training.addCheckpoint(model_id, { step: at, metrics })).id);
  }
  return { registeredModels, unregisteredModels, modelNames, checkpoints, jobs, events, idempotencyKeys };
}

/** Everything that the owner can read, as one text. */
export async function ownerState({ engine, ids }: TwoProjects): Promise<string> {
  const { training } = engine;
  const models = [...ids.registeredModels, ...ids.unregisteredModels];
  const request = {
    evaluation_call_ids: [...ids.evaluations],
    include_summary: true,
    include_raw_data_rows: true,
  };
  const views = ["feedback", "training_jobs", "trajectories", "checkpoints", "calls"] as const;
  const state = [
    await engine.queryEvalResultsJson(OWNER, request),
    await engine.listEvaluations(OWNER),
    await engine.feedback.listJson(OWNER),
    await Promise.all(models.map((id) => training.listCheckpoints(id))),
    await Promise.all(models.map((id) => training.getModel(id))),
    await Promise.all(ids.jobs.map((id) => training.getJob(id))),
    await Promise.all(ids.jobs.map((id) => training.listEvents(id))),
    await Promise.all(views.map(async (view) => (await engine.sql(OWNER, `select * from ${view}`)).numRows)),
  ];
  return JSON.stringify(state);
}
