import type { ModelOwners, Owner } from "./ownership.ts";
import type { TrajectoryRecord } from "./trajectories.ts";

/** A training job as it is kept. */
export interface StoredJob {
  readonly id: string;
  readonly modelId: string;
  /** Microseconds since 1970 in UTC. */
  readonly createdAt: bigint;
  /** Value of the project header, if there was one. */
  readonly projectId: string | null;
  /** Who sent it; null for library users. */
  readonly userId: string | null;
  /** The request, byte for byte. */
  readonly raw: string;
}

/** Marks a request so that sending it again is not a second job. */
export interface Idempotency {
  /** The credential that the key belongs to; null for library users. */
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
  /** The training step, an integer. */
  readonly step: number;
  /** Finite numbers only. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** What a trainer tells of a job. `data` is a JSON object. */
export interface StoredEvent {
  /** A UUID. */
  readonly id: string;
  /** What happened. */
  readonly type: string;
  /** Particulars. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** A range of a list: at most `limit` items after the one with the id `after`, which exists. */
export interface PageRange {
  readonly after: string | null;
  readonly limit: number;
  readonly order: "asc" | "desc";
}

/** Where training records are kept. What has been written is durable when the promise resolves. */
export interface TrainingStore {
  /**
   * Stores a job with its trajectories, unless `idempotency` names one: then gives back that one's id and the
   * hash of its request. `check` sees the owners of its model, in the same transaction; throws to refuse.
   */
  insertJob(
    job: StoredJob,
    trajectories: readonly TrajectoryRecord[],
    idempotency: Idempotency | null,
    check: (model: ModelOwners) => void,
  ): Promise<{ readonly id: string; readonly requestHash: string | null; readonly inserted: boolean }>;
  getJob(id: string): Promise<StoredJob | undefined>;
  /** None: there is no such job. */
  ownersOfJob(id: string): Promise<readonly Owner[]>;
  /** Stores a model unless there is one of this entity, project and name; gives back the stored one. */
  insertModel(model: StoredModel): Promise<StoredModel>;
  getModel(id: string): Promise<StoredModel | undefined>;
  ownersOfModel(id: string): Promise<ModelOwners>;
  insertCheckpoint(modelId: string, checkpoint: StoredCheckpoint): Promise<void>;
  hasCheckpoint(modelId: string, id: string): Promise<boolean>;
  /** By step, then id; `desc` turns both round. */
  listCheckpoints(modelId: string, range: PageRange): Promise<readonly StoredCheckpoint[]>;
  insertEvent(jobId: string, event: StoredEvent): Promise<void>;
  hasEvent(jobId: string, id: string): Promise<boolean>;
  /** In the order of insertion. */
  listEvents(jobId: string, range: PageRange): Promise<readonly StoredEvent[]>;
}
