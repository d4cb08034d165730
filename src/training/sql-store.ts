import { parseJson, writeJson } from "../model/json.ts";
import { column, nullable, query, type Query, select } from "../store/query.ts";
import { textColumns, writeRecords } from "../store/records.ts";
import type { Column, RecordSession, RecordStore, Session } from "../store/session.ts";
import { bigint, EMPTY, loaded, sql, type Sql, type SqlType, type SqlValue, text } from "../store/sql.ts";
import type { ModelOwners, Owner } from "./ownership.ts";
import type {
  Idempotency,
  PageRange,
  StoredCheckpoint,
  StoredEvent,
  StoredJob,
  StoredModel,
} from "./stored.ts";
import type { TrajectoryRecord } from "./trajectories.ts";

/** Creates the two lists of training records: checkpoints ordered by (step, id), events by their number. */
function createListTables(store: RecordStore) {
  return {
    insertCheckpoint: (modelId: string, { id, step, metrics }: StoredCheckpoint) =>
      writeRecords(store, (session) =>
        session.add("checkpoints", [
          ...textColumns({ model_id: modelId, id, metrics: writeJson(metrics) }),
          { name: "step", type: "BIGINT", values: [BigInt(step)] },
        ]),
      ),
    hasCheckpoint: (modelId: string, id: string) =>
      exists(store, sql` FROM checkpoints WHERE model_id = ${text(modelId)} AND id = ${text(id)}`),
    /** Ordered by step, then id; `desc` reverses both. */
    async listCheckpoints(modelId: string, range: PageRange): Promise<readonly StoredCheckpoint[]> {
      const found = await store.read((session) => session.all(checkpointStretch(modelId, range)));
      return found.map((one) => ({ ...one, metrics: parseJson(one.metrics) as Record<string, number> }));
    },
    insertEvent: (jobId: string, { id, type, data }: StoredEvent) =>
      writeRecords(store, (session) =>
        session.add("training_events", textColumns({ job_id: jobId, id, type, data: writeJson(data) })),
      ),
    hasEvent: (jobId: string, id: string) =>
      exists(store, sql` FROM training_events WHERE job_id = ${text(jobId)} AND id = ${text(id)}`),
    /** Ordered by insertion. */
    async listEvents(jobId: string, range: PageRange): Promise<readonly StoredEvent[]> {
      const found = await store.read((session) => session.all(eventStretch(jobId, range)));
      return found.map((one) => ({ ...one, data: JSON.parse(one.data) as Record<string, unknown> }));
    },
  };
}

async function exists(store: RecordStore, from: Sql): Promise<boolean> {
  const any = query("existence", select({ one: column.integer(sql`1`) }, from));
  return (await store.read((session) => session.all(any))).length > 0;
}

function checkpointStretch(modelId: string, { after, limit, order }: PageRange) {
  const cursor = sql`(SELECT step FROM checkpoints WHERE model_id = ${text(modelId)} AND id = ${text(after)})`;
  const beyond =
    order === "asc"
      ? sql` AND (step > ${cursor} OR (step = ${cursor} AND id > ${text(after)}))`
      : sql` AND (step < ${cursor} OR (step = ${cursor} AND id < ${text(after)}))`;
  const direction = order === "asc" ? sql`ORDER BY step, id` : sql`ORDER BY step DESC, id DESC`;
  const checkpoints = select(
    { id: column.text(sql`id`), step: column.integer(sql`step`), metrics: column.text(sql`metrics`) },
    sql` FROM checkpoints
    WHERE model_id = ${text(modelId)}${after === null ? EMPTY : beyond} ${direction} LIMIT ${bigint(limit)}`,
  );
  return query("checkpoints", checkpoints);
}

function eventStretch(jobId: string, { after, limit }: PageRange) {
  const beyond = sql` AND number > (SELECT number FROM training_events
    WHERE job_id = ${text(jobId)} AND id = ${text(after)})`;
  const events = select(
    { id: column.text(sql`id`), type: column.text(sql`type`), data: column.text(sql`data`) },
    sql` FROM training_events
    WHERE job_id = ${text(jobId)}${after === null ? EMPTY : beyond} ORDER BY number LIMIT ${bigint(limit)}`,
  );
  return query("events", events);
}

export type TrainingStore = ReturnType<typeof createSqlTrainingStore>;

/** Keeps training records in the tables of `store`. Written records are durable when the promise resolves. */
export function createSqlTrainingStore(store: RecordStore) {
  return {
    /**
     * Stores a job with its trajectories, unless there is one under `idempotency`; then returns the id of that job and
     * the hash of its request. `check` receives the owners of the job's model in the same transaction and throws to
     * refuse.
     */
    insertJob: (
      job: StoredJob,
      trajectories: readonly TrajectoryRecord[],
      idempotency: Idempotency | null,
      check: (model: ModelOwners) => void,
    ) =>
      writeRecords(store, async (session) => {
        check(await findModelOwners(session, job.modelId, job.id));
        return insertJob(session, job, trajectories, idempotency);
      }),
    getJob: (id: string) => store.read((session) => findJob(session, id)),
    /** Empty where there is no such job. */
    ownersOfJob: (id: string) =>
      store.read((session) =>
        session.all(owners(sql`project_id`, sql`user_id`, sql` FROM training_jobs WHERE id = ${text(id)}`)),
      ),
    /** Stores a model unless there is one of this entity, project and name; returns the stored one. */
    insertModel: (model: StoredModel) => writeRecords(store, (session) => insertModel(session, model)),
    getModel: (id: string) => store.read((session) => findModel(session, sql` WHERE id = ${text(id)}`)),
    ownersOfModel: (id: string) => store.read((session) => findModelOwners(session, id)),
    /**
     * Notes the evaluation that a log becomes; returns that of an earlier log under this key, and the hash of its
     * request.
     */
    claimLog: (id: string, key: Idempotency) => writeRecords(store, (session) => claimLog(session, id, key)),
    /**
     * Deletes a registered model with its checkpoints, if `may` allows it; returns how many, null where there is no
     * such model.
     */
    deleteModel: (id: string, may: May) => writeRecords(store, (session) => deleteModel(session, id, may)),
    /** Deletes the checkpoints at these steps, if `may` allows it; returns how many, and the steps that had some. */
    deleteCheckpoints: (modelId: string, steps: readonly number[], may: May) =>
      writeRecords(store, (session) => deleteCheckpoints(session, modelId, steps, may)),
    ...createListTables(store),
  };
}

type May = (model: ModelOwners) => boolean;

interface InsertedJob {
  readonly id: string;
  readonly requestHash: string | null;
  readonly inserted: boolean;
}

async function insertJob(
  session: RecordSession,
  job: StoredJob,
  trajectories: readonly TrajectoryRecord[],
  idempotency: Idempotency | null,
): Promise<InsertedJob> {
  const own = { id: job.id, requestHash: idempotency?.requestHash ?? null };
  if (idempotency === null) {
    if ((await findJob(session, job.id)) !== undefined) return { ...own, inserted: true };
  } else {
    const [earlier] = await session.all(earlierJob(idempotency.keyId, idempotency.key));
    if (earlier !== undefined) return { ...earlier, inserted: earlier.id === job.id };
  }
  await session.add("trajectories", trajectoryColumns(job.id, trajectories));
  await session.claim("training_jobs", jobColumns(job, idempotency));
  if (idempotency !== null) {
    const { keyId, key, requestHash } = idempotency;
    const names = { key_id: keyId, idempotency_key: key, job_id: job.id, request_hash: requestHash };
    await session.claim("training_idempotency", textColumns(names));
  }
  return { ...own, inserted: true };
}

async function claimLog(session: RecordSession, id: string, { keyId, key, requestHash }: Idempotency) {
  const [earlier] = await session.all(earlierJob(keyId, key));
  if (earlier !== undefined) return earlier;
  const names = { key_id: keyId, idempotency_key: key, job_id: id, request_hash: requestHash };
  await session.claim("training_idempotency", textColumns(names));
  return { id, requestHash };
}

async function deleteModel(session: RecordSession, id: string, may: May): Promise<number | null> {
  const model = await findModelOwners(session, id);
  if (!model.registered || !may(model)) return null;
  const count = await session.erase("checkpoints", sql`model_id = ${text(id)}`);
  await session.erase("training_models", sql`id = ${text(id)}`);
  return count;
}

async function deleteCheckpoints(
  session: RecordSession,
  modelId: string,
  steps: readonly number[],
  may: May,
) {
  const none = { count: 0, found: new Set<number>() };
  if (steps.length === 0 || !may(await findModelOwners(session, modelId))) return none;
  session.load("steps", [{ name: "step", type: "BIGINT", values: steps.map(BigInt) }]);
  const those = sql`model_id = ${text(modelId)} AND step IN (SELECT step FROM ${loaded("steps")})`;
  const found = await session.rows(sql`SELECT DISTINCT step FROM checkpoints WHERE ${those}`);
  if (found.length === 0) return none;
  const count = await session.erase("checkpoints", those);
  return { count, found: new Set(found.map(([step]) => Number(step))) };
}

function jobColumns(
  { id, modelId, createdAt, projectId, userId, raw }: StoredJob,
  idempotency: Idempotency | null,
): Column[] {
  return [
    ...textColumns({ id, model_id: modelId, project_id: projectId, user_id: userId, request: raw }),
    { name: "created_at", type: "BIGINT", values: [createdAt] },
    { name: "keyed", type: "BOOLEAN", values: [idempotency !== null] },
  ];
}

function trajectoryColumns(jobId: string, records: readonly TrajectoryRecord[]): Column[] {
  const values = (name: string, type: SqlType, value: (record: TrajectoryRecord) => SqlValue): Column => ({
    name,
    type,
    values: records.map(value),
  });
  return [
    values("job_id", "VARCHAR", () => jobId),
    values("group_index", "INTEGER", (record) => record.groupIndex),
    values("trajectory_index", "INTEGER", (record) => record.trajectoryIndex),
    values("reward", "DOUBLE", (record) => record.reward),
    values("initial_policy_version", "DOUBLE", (record) => record.initialPolicyVersion),
    values("final_policy_version", "DOUBLE", (record) => record.finalPolicyVersion),
    values("metrics", "VARCHAR", (record) => record.metrics),
    values("start_time", "BIGINT", (record) => record.startTime),
  ];
}

/** `exceptJob`: a job that makes nobody an owner. */
async function findModelOwners(session: Session, id: string, exceptJob?: string): Promise<ModelOwners> {
  const models = sql` FROM training_models WHERE id = ${text(id)}`;
  const registered = await session.all(owners(sql`entity || '/' || project`, sql`NULL`, models));
  if (registered.length > 0) return { registered: true, owners: registered };
  const except = exceptJob === undefined ? EMPTY : sql` AND id <> ${text(exceptJob)}`;
  const jobs = sql` FROM training_jobs WHERE model_id = ${text(id)}${except} GROUP BY ALL`;
  return { registered: false, owners: await session.all(owners(sql`project_id`, sql`user_id`, jobs)) };
}

function owners(project: Sql, user: Sql, from: Sql): Query<Owner> {
  const columns = { projectId: nullable(column.text(project)), userId: nullable(column.text(user)) };
  return query("owners", select(columns, from));
}

function earlierJob(keyId: string | null, key: string): Query<Omit<InsertedJob, "inserted">> {
  const jobs = select(
    { id: column.text(sql`job_id`), requestHash: nullable(column.text(sql`request_hash`)) },
    sql` FROM training_idempotency
      WHERE key_id IS NOT DISTINCT FROM ${text(keyId)} AND idempotency_key = ${text(key)}`,
  );
  return query("earlier job", jobs);
}

async function findJob(session: Session, id: string): Promise<StoredJob | undefined> {
  const jobs = select(
    {
      id: column.text(sql`id`),
      modelId: column.text(sql`model_id`),
      createdAt: column.bigint(sql`created_at`),
      projectId: nullable(column.text(sql`project_id`)),
      userId: nullable(column.text(sql`user_id`)),
      raw: column.text(sql`request`),
    },
    sql` FROM training_jobs WHERE id = ${text(id)}`,
  );
  const [found] = await session.all(query("job", jobs));
  return found;
}

const MODEL = {
  id: column.text(sql`id`),
  entity: column.text(sql`entity`),
  project: column.text(sql`project`),
  name: column.text(sql`name`),
  baseModel: column.text(sql`base_model`),
};

async function findModel(session: Session, where: Sql): Promise<StoredModel | undefined> {
  const [found] = await session.all(query("model", select(MODEL, sql` FROM training_models${where}`)));
  return found;
}

async function insertModel(session: RecordSession, model: StoredModel): Promise<StoredModel> {
  const { id, entity, project, name, baseModel } = model;
  const where = sql` WHERE entity = ${text(entity)} AND project = ${text(project)} AND name = ${text(name)}`;
  const existing = await findModel(session, where);
  if (existing !== undefined) return existing;
  await session.claim("training_models", textColumns({ id, entity, project, name, base_model: baseModel }));
  return model;
}
