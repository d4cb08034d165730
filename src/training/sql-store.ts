import type { Column, Session, FileStore } from "../store/session.ts";
import { column, nullable, query, select, type Query } from "../store/query.ts";
import { bigint, sql, text, type Sql, type SqlType, type SqlValue } from "../store/sql.ts";
import type { ModelOwners, Owner } from "./ownership.ts";
import { createListTables } from "./sql-lists.ts";
import type { Idempotency, StoredJob, StoredModel, TrainingStore } from "./store.ts";
import type { TrajectoryRecord } from "./trajectories.ts";

/** Keeps training records in the tables of `store`. */
export function createSqlTrainingStore(store: FileStore): TrainingStore {
  return {
    insertJob: (job, trajectories, idempotency, check) =>
      store.write(async (session) => {
        check(await findModelOwners(session, job.modelId));
        return insertJob(session, job, trajectories, idempotency);
      }),
    getJob: (id) => store.read((session) => findJob(session, id)),
    ownersOfJob: (id) =>
      store.read((session) =>
        session.all(owners(sql`project_id`, sql`user_id`, sql` FROM training_jobs WHERE id = ${text(id)}`)),
      ),
    insertModel: (model) => store.write((session) => insertModel(session, model)),
    getModel: (id) => store.read((session) => findModel(session, sql` WHERE id = ${text(id)}`)),
    ownersOfModel: (id) => store.read((session) => findModelOwners(session, id)),
    ...createListTables(store),
  };
}

interface InsertedJob {
  readonly id: string;
  readonly requestHash: string | null;
  readonly inserted: boolean;
}

async function insertJob(
  session: Session,
  job: StoredJob,
  trajectories: readonly TrajectoryRecord[],
  idempotency: Idempotency | null,
): Promise<InsertedJob> {
  if (idempotency !== null) {
    const { keyId, key, requestHash } = idempotency;
    const [earlier] = await session.all(earlierJob(keyId, key));
    if (earlier !== undefined) return { ...earlier, inserted: false };
    await session.run(sql`INSERT INTO training_idempotency
      VALUES (${text(keyId)}, ${text(key)}, ${text(job.id)}, ${text(requestHash)})`);
  }
  await session.run(sql`INSERT INTO training_jobs VALUES (${text(job.id)}, ${text(job.modelId)},
    ${bigint(job.createdAt)}, ${text(job.projectId)}, ${text(job.userId)}, ${text(job.raw)})`);
  await insertTrajectories(session, job.id, trajectories);
  return { id: job.id, requestHash: idempotency?.requestHash ?? null, inserted: true };
}

async function insertTrajectories(
  session: Session,
  jobId: string,
  records: readonly TrajectoryRecord[],
): Promise<void> {
  const loaded = (name: string, type: SqlType, value: (record: TrajectoryRecord) => SqlValue): Column => ({
    name,
    type,
    values: records.map(value),
  });
  session.load("trajectories", [
    loaded("group_index", "INTEGER", (record) => record.groupIndex),
    loaded("trajectory_index", "INTEGER", (record) => record.trajectoryIndex),
    loaded("reward", "DOUBLE", (record) => record.reward),
    loaded("initial_policy_version", "DOUBLE", (record) => record.initialPolicyVersion),
    loaded("final_policy_version", "DOUBLE", (record) => record.finalPolicyVersion),
    loaded("metrics", "VARCHAR", (record) => record.metrics),
    loaded("start_time", "BIGINT", (record) => record.startTime),
  ]);
  await session.run(sql`INSERT INTO trajectories SELECT ${text(jobId)}, * FROM loaded('trajectories')`);
}

async function findModelOwners(session: Session, id: string): Promise<ModelOwners> {
  const models = sql` FROM training_models WHERE id = ${text(id)}`;
  const registered = await session.all(owners(sql`entity || '/' || project`, sql`NULL`, models));
  if (registered.length > 0) return { registered: true, owners: registered };
  const jobs = sql` FROM training_jobs WHERE model_id = ${text(id)} GROUP BY ALL`;
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

async function insertModel(session: Session, model: StoredModel): Promise<StoredModel> {
  const { id, entity, project, name, baseModel } = model;
  const where = sql` WHERE entity = ${text(entity)} AND project = ${text(project)} AND name = ${text(name)}`;
  const existing = await findModel(session, where);
  if (existing !== undefined) return existing;
  await session.run(sql`INSERT INTO training_models
    VALUES (${text(id)}, ${text(entity)}, ${text(project)}, ${text(name)}, ${text(baseModel)})`);
  return model;
}
