import type { ModelOwners, Owner } from "./ownership.ts";
import type { TrajectoryRecord } from "./trajectories.ts";

/** A training job as it is stored. */
export interface StoredJob {
  readonly id: string;
  readonly modelId: string;
  /** Microseconds since 1970 in UTC. */
  readonly createdAt: bigint;
  /** Value of the project header; null without one. */
  readonly projectId: string | null;
  /** The user who sent the job; null for library users. */
  readonly userId: string | null;
  /** Text of the request, byte for byte. */
  readonly raw: string;
}

/** Identifies a request, so that sending it again does not create a second job. */
export interface Idempotency {
  /** Id of the credential that the key belongs to; null for library users. */
  readonly keyId: string | null;
  readonly key: string;
  /** SHA-256 of the request, hexadecimal. */
  readonly requestHash: string;
}

/** A model that jobs and checkpoints belong to. */
export interface StoredModel {
  readonly id: string;
  readonly entity: string;
  readonly project: string;
  readonly name: string;
  readonly baseModel: string;
}

/** A checkpoint of a model. */
export interface StoredCheckpoint {
  /** A UUID. */
  readonly id: string;
  /** Training step, an integer. */
  readonly step: number;
  /** Metrics by name; finite numbers only. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** A trainer's event of a job. `data` is a JSON object. */
export interface StoredEvent {
  /** A UUID. */
  readonly id: string;
  /** Type of the event. */
  readonly type: string;
  /** Details of the event. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** A range of a list: at most `limit` items after the one with the id `after`, which exists. */
export interface PageRange {
  readonly after: string | null;
  readonly limit: number;
  readonly order: "asc" | "desc";
}

/** Stores training records. Written records are durable when the promise resolves. */
export interface TrainingStore {
  /**
   * Stores a job with its trajectories, unless there is one under `idempotency`; then returns the id of that job and
   * the hash of its request. `check` receives the owners of the job's model in the same transaction and throws to
   * refuse.
   */
  insertJob(
    job: StoredJob,
    trajectories: readonly TrajectoryRecord[],
    idempotency: Idempotency | null,
    check: (model: ModelOwners) => void,
  ): Promise<{ readonly id: string; readonly requestHash: string | null; readonly inserted: boolean }>;
  getJob(id: string): Promise<StoredJob | undefined>;
  /** Empty where there is no such job. */
  ownersOfJob(id: string): Promise<readonly Owner[]>;
  /** Stores a model unless there is one of this entity, project and name; returns the stored one. */
  insertModel(model: StoredModel): Promise<StoredModel>;
  getModel(id: string): Promise<StoredModel | undefined>;
  ownersOfModel(id: string): Promise<ModelOwners>;
  /** Notes the evaluation that a log becomes; returns that of an earlier log under this key, and the hash of its request. */
  claimLog(
    id: string,
    idempotency: Idempotency,
  ): Promise<{ readonly id: string; readonly requestHash: string | null }>;
  /** Deletes a registered model with its checkpoints, if `may` allows it; returns how many, null where there is no such model. */
  deleteModel(id: string, may: (model: ModelOwners) => boolean): Promise<number | null>;
  /** Deletes the checkpoints at these steps, if `may` allows it; returns how many, and the steps that had some. */
  deleteCheckpoints(
    modelId: string,
    steps: readonly number[],
    may: (model: ModelOwners) => boolean,
  ): Promise<{ readonly count: number; readonly found: ReadonlySet<number> }>;
  insertCheckpoint(modelId: string, checkpoint: StoredCheckpoint): Promise<void>;
  hasCheckpoint(modelId: string, id: string): Promise<boolean>;
  /** Ordered by step, then id; `desc` reverses both. */
  listCheckpoints(modelId: string, range: PageRange): Promise<readonly StoredCheckpoint[]>;
  insertEvent(jobId: string, event: StoredEvent): Promise<void>;
  hasEvent(jobId: string, id: string): Promise<boolean>;
  /** Ordered by insertion. */
  listEvents(jobId: string, range: PageRange): Promise<readonly StoredEvent[]>;
}
