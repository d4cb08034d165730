import { createHash, randomUUID } from "node:crypto";
import { z } from "zod";
import { EvalcubeError, RequestError, requestFault } from "../errors.ts";
import { checkArgument, plainText, projectId as projectIdSchema } from "../model/arguments.ts";
import { parseJson, type Json } from "../model/json.ts";
import { formatTimestamp } from "../model/timestamp.ts";
import { jobRequestSchema, normaliseUuid } from "./job-request.ts";
import { callerSchema, mayTrain, type Caller } from "./ownership.ts";
import type { TrainingStore } from "./sql-store.ts";
import type { StoredEvent, StoredJob } from "./stored.ts";
import { requestText } from "../model/schema-issues.ts";
import type { JsonBounds } from "../model/json-bounds.ts";
import { mapInSlices } from "../model/turns.ts";
import { textPieces } from "../model/long-texts.ts";
import { readJob } from "./read-job.ts";
import { trajectoryRecord, withRewards } from "./trajectories.ts";

/**
 * A training job. `request` keeps every digit and has 0 for a reward that was left out; `raw` is the text as it was
 * sent.
 */
export interface TrainingJob {
  /** A UUID. */
  readonly id: string;
  /** The model to train. */
  readonly model_id: string;
  /** Time of creation, ISO 8601 in UTC with microseconds. */
  readonly created_at: string;
  /** `entity/project` that the job was sent for; null where none was named. */
  readonly project_id: string | null;
  /** The user who sent the job; null for the library itself. */
  readonly user_id: string | null;
  /** The request, parsed when it is read. */
  readonly request: Json;
  /** The request as text, byte for byte. */
  readonly raw: string;
}

/** The sender of a job, and how a repeated request is recognised. */
export interface CreateJobOptions {
  /** The request as text, kept byte for byte; without it the request object is serialized. */
  readonly raw?: string | undefined;
  /** `entity/project` that the job belongs to. */
  readonly projectId?: string | null | undefined;
  /** The user who sends the job. */
  readonly userId?: string | null | undefined;
  /** Idempotency key: the same request under this key and `keyId` does not create a second job. */
  readonly idempotencyKey?: string | undefined;
  /** Id of the credential that the idempotency key belongs to. */
  readonly keyId?: string | null | undefined;
  /** The external caller; absent for the library's own user. */
  readonly caller?: Caller | undefined;
}

export const createJobOptions = z.strictObject({
  raw: z.string().optional(),
  projectId: projectIdSchema.nullish(),
  userId: plainText.nullish(),
  idempotencyKey: plainText.min(1).optional(),
  keyId: plainText.nullish(),
  caller: callerSchema,
});

/** Hands a stored job to the trainer. */
export type JobHook = (job: TrainingJob) => void | Promise<void>;

/** A job that was read: its JSON text, what it says, and what is kept of its trajectories. */
export function jobOf(request: unknown, options: CreateJobOptions) {
  const parsed = checkArgument(request, jobRequestSchema);
  const raw = checkArgument(options, createJobOptions, ["options"]).raw ?? requestText(request);
  const sent = parsed.trajectory_groups.flatMap(({ trajectories }, group) =>
    trajectories.map((trajectory, index) => ({ trajectory, group, index })),
  );
  return { raw, request: parsed, records: sent.map(trajectoryRecord) };
}

/** Reads a job from its JSON text, trajectory by trajectory. */
export async function readJobText(text: string, bounds?: JsonBounds): Promise<ReturnType<typeof jobOf>> {
  const raw = checkArgument(text, z.string());
  const { request, results: records } = await readJob(raw, jobRequestSchema, trajectoryRecord, bounds);
  return { raw, request, records };
}

/**
 * Stores a job durably, then starts `onJob` without waiting for it. Throws `EvalcubeError`, code `model_not_found`, for
 * a model that the caller may not use.
 */
export async function createJob(
  store: TrainingStore,
  onJob: JobHook | undefined,
  { raw, request, records }: ReturnType<typeof jobOf>,
  options: CreateJobOptions,
): Promise<{ readonly id: string }> {
  const asked = checkArgument(options, createJobOptions, ["options"]);
  const { projectId = null, userId = null, keyId = null, idempotencyKey, caller } = asked;
  const job: StoredJob = {
    id: randomUUID(),
    modelId: normaliseUuid(request.model_id) ?? request.model_id,
    createdAt: BigInt(Date.now()) * 1000n,
    projectId,
    userId,
    raw,
  };
  const requestHash = await hashOf(raw);
  const idempotency = idempotencyKey === undefined ? null : { keyId, key: idempotencyKey, requestHash };
  const stored = await store.insertJob(job, records, idempotency, (model) => {
    if (!mayTrain(model, projectId, caller)) throw unknownModel();
  });
  if (!stored.inserted && stored.requestHash !== requestHash) throw mismatch();
  if (stored.inserted && onJob !== undefined) void handOver(store, onJob, job);
  return { id: stored.id };
}

/** The SHA-256 of texts, hexadecimal. */
export async function hashOf(text: string, head = ""): Promise<string> {
  const hash = createHash("sha256").update(head);
  await mapInSlices(textPieces(text), (piece) => void hash.update(piece));
  return hash.digest("hex");
}

/** Converts a stored job. */
export function toJob(stored: StoredJob): TrainingJob {
  const { id, modelId, createdAt, projectId, userId, raw } = stored;
  return {
    id,
    model_id: modelId,
    created_at: formatTimestamp(createdAt),
    project_id: projectId,
    user_id: userId,
    raw,
    // Parsed on access, since it may be large.
    get request() {
      return withRewards(parseJson(raw));
    },
  };
}

/**
 * Hands a job to the trainer. A failure is added as an event of the job, since the request has already been answered.
 */
async function handOver(store: TrainingStore, onJob: JobHook, job: StoredJob): Promise<void> {
  try {
    await onJob(toJob(job));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    await addEvent(store, job.id, { type: "training_failed", data: { error_message: message } }).catch(
      () => {},
    );
  }
}

/** An event of a job to be added. */
export interface NewEvent {
  /** `training_started`, `gradient_step`, `training_ended`, `training_failed`, or another name. */
  readonly type: string;
  /** Details of the event; JSON values. */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
}

const eventSchema = z.strictObject({
  type: plainText.min(1),
  data: z.record(z.string(), z.unknown()).optional(),
});

/** Adds an event to a job. Throws `RequestError` on an event that does not conform to {@link NewEvent}. */
export async function addEvent(store: TrainingStore, jobId: string, event: NewEvent): Promise<StoredEvent> {
  const { type, data = {} } = checkArgument(event, eventSchema);
  requestText(data, ["data"]);
  const told = { id: randomUUID(), type, data };
  await store.insertEvent(jobId, told);
  return told;
}

export function unknownModel(): EvalcubeError {
  return new EvalcubeError("model_not_found", "There is no model with this model_id.");
}

export function mismatch(): RequestError {
  const msg = "this Idempotency-Key was used for another request";
  return requestFault("schema", ["Idempotency-Key"], msg, "idempotency_mismatch");
}
