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
