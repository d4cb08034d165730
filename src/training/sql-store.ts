import type { Column, Session, Store } from "../store/session.ts";
import { bigint, sql, text, type Sql, type SqlType, type SqlValue } from "../store/sql.ts";
import type { ModelOwners, Owner } from "./ownership.ts";
import { createListTables } from "./sql-lists.ts";
import type { Idempotency, StoredJob, StoredModel, TrainingStore } from "./store.ts";
import type { TrajectoryRecord } from "./trajectories.ts";

/** Training records in the tables. */
export function createSqlTrainingStore(store: Store): TrainingStore {
  return {
    insertJob: (job, trajectories, idempotency, check) =>
      store.write(async (session) => {
        check(await findModelOwners(session, job.modelId));
        return insertJob(session, job, trajectories, idempotency);
      }),
    getJob: (id) => store.read((session) => findJob(session, id)),
    ownersOfJob: (id) =>
      store.read((session) =>
        findOwners(session, sql`SELECT project_id, user_id FROM training_jobs WHERE id = ${text(id)}`),
      ),
    insertModel: (model) => store.write((session) => insertModel(session, model)),
    getModel: (id) =>
      store.read(async (session) => toModel(await session.rows(sql`${MODELS} WHERE id = ${text(id)}`))),
    ownersOfModel: (id) => store.read((session) => findModelOwners(session, id)),
    ...createListTables(store),
  };
}

async function insertJob(
  session: Session,
  job: StoredJob,
  trajectories: readonly TrajectoryRecord[],
  idempotency: Idempotency | null,
): Promise<{ id: string; requestHash: string | null; inserted: boolean }> {
  if (idempotency !== null) {
    const { keyId, key, requestHash } = idempotency;
    const earlier = await session.rows(sql`SELECT job_id, request_hash FROM training_idempotency
      WHERE key_id IS NOT DISTINCT FROM ${text(keyId)} AND idempotency_key = ${text(key)}`);
    const [row] = earlier;
    if (row !== undefined) return { id: String(row[0]), requestHash: textOrNull(row[1]), inserted: false };
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
  const column = (name: string, type: SqlType, value: (record: TrajectoryRecord) => SqlValue): Column => ({
    name,
    type,
    values: records.map(value),
  });
  session.load("trajectories", [
    column("group_index", "INTEGER", (record) => record.groupIndex),
    column("trajectory_index", "INTEGER", (record) => record.trajectoryIndex),
    column("reward", "DOUBLE", (record) => record.reward),
    column("initial_policy_version", "DOUBLE", (record) => record.initialPolicyVersion),
    column("final_policy_version", "DOUBLE", (record) => record.finalPolicyVersion),
    column("metrics", "VARCHAR", (record) => record.metrics),
    column("start_time", "BIGINT", (record) => record.startTime),
  ]);
  await session.run(sql`INSERT INTO trajectories SELECT ${text(jobId)}, * FROM loaded('trajectories')`);
}

async function findModelOwners(session: Session, id: string): Promise<ModelOwners> {
  const registered = await findOwners(
    session,
    sql`SELECT entity || '/' || project, NULL FROM training_models WHERE id = ${text(id)}`,
  );
  if (registered.length > 0) return { registered: true, owners: registered };
  const jobs = sql`SELECT DISTINCT project_id, user_id FROM training_jobs WHERE model_id = ${text(id)}`;
  return { registered: false, owners: await findOwners(session, jobs) };
}

/** The records of a query for projects and users. */
async function findOwners(session: Session, query: Sql): Promise<Owner[]> {
  const rows = await session.rows(query);
  return rows.map(([projectId, userId]) => ({
    projectId: textOrNull(projectId),
    userId: textOrNull(userId),
  }));
}

async function findJob(session: Session, id: string): Promise<StoredJob | undefined> {
  const rows = await session.rows(sql`SELECT id, model_id, created_at, project_id, user_id, request
    FROM training_jobs WHERE id = ${text(id)}`);
  const [row] = rows;
  if (row === undefined) return undefined;
  const [jobId, modelId, createdAt, projectId, userId, raw] = row;
  return {
    id: String(jobId),
    modelId: String(modelId),
    createdAt: BigInt(createdAt ?? 0),
    projectId: textOrNull(projectId),
    userId: textOrNull(userId),
    raw: String(raw),
  };
}

const MODELS = sql`SELECT id, entity, project, name, base_model FROM training_models`;

async function insertModel(session: Session, model: StoredModel): Promise<StoredModel> {
  const { id, entity, project, name, baseModel } = model;
  const existing = toModel(
    await session.rows(
      sql`${MODELS} WHERE entity = ${text(entity)} AND project = ${text(project)} AND name = ${text(name)}`,
    ),
  );
  if (existing !== undefined) return existing;
  await session.run(sql`INSERT INTO training_models
    VALUES (${text(id)}, ${text(entity)}, ${text(project)}, ${text(name)}, ${text(baseModel)})`);
  return model;
}

function toModel(rows: readonly (readonly SqlValue[])[]): StoredModel | undefined {
  const [row] = rows;
  if (row === undefined) return undefined;
  const [id, entity, project, name, baseModel] = row.map(String);
  return {
    id: id ?? "",
    entity: entity ?? "",
    project: project ?? "",
    name: name ?? "",
    baseModel: baseModel ?? "",
  };
}

function textOrNull(value: SqlValue | undefined): string | null {
  return typeof value === "string" ? value : null;
}
