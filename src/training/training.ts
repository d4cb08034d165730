import { addCheckpoint, type AddedCheckpoint, type NewCheckpoint } from "./checkpoints.ts";
import { addEvent, createJob, toJob, type CreateJobOptions, type JobHook, type TrainingJob } from "./jobs.ts";
import { normaliseUuid } from "./job-request.ts";
import { registerModel, toModel, type RegisterModelOptions, type TrainingModel } from "./models.ts";
import { readPage, type Page, type PageQuery } from "./page.ts";
import type { JobOwner, StoredCheckpoint, StoredEvent, TrainingStore } from "./store.ts";

/** Training jobs, their events, models and checkpoints. */
export interface Training {
  /** Stores a job, durably, then hands it to `onJob`. Throws `RequestError` of kind `schema`. */
  createJob(request: unknown, options?: CreateJobOptions): Promise<{ readonly id: string }>;
  getJob(id: string): Promise<TrainingJob | null>;
  /** Whom a job belongs to; null when there is no such job. */
  getJobOwner(id: string): Promise<JobOwner | null>;
  registerModel(request: unknown, options: RegisterModelOptions): Promise<TrainingModel>;
  getModel(id: string): Promise<TrainingModel | null>;
  addCheckpoint(modelId: string, checkpoint: NewCheckpoint): Promise<AddedCheckpoint>;
  /** By step, then id. A model without checkpoints, known or not, has an empty page. */
  listCheckpoints(modelId: string, query?: PageQuery): Promise<Page<StoredCheckpoint>>;
  /** Tells of a job: `training_started`, `gradient_step`, `training_ended`, `training_failed`. */
  addEvent(
    jobId: string,
    event: { readonly type: string; readonly data?: Readonly<Record<string, unknown>> },
  ): Promise<StoredEvent>;
  /** In the order in which they were added. */
  listEvents(jobId: string, query?: PageQuery): Promise<Page<StoredEvent>>;
}

export interface TrainingOptions {
  /** Takes a stored job to the trainer. If it fails, the job gets the event `training_failed`. */
  readonly onJob?: JobHook;
}

/** Training records kept in `store`. */
export function createTraining(store: TrainingStore, options: TrainingOptions = {}): Training {
  return {
    createJob: (request, jobOptions = {}) => createJob(store, options.onJob, request, jobOptions),
    async getJob(id) {
      const job = await store.getJob(canonicalId(id));
      return job === undefined ? null : toJob(job);
    },
    getJobOwner: async (id) => (await store.getJobOwner(canonicalId(id))) ?? null,
    registerModel: (request, modelOptions) => registerModel(store, request, modelOptions),
    async getModel(id) {
      const model = await store.getModel(canonicalId(id));
      return model === undefined ? null : toModel(model);
    },
    addCheckpoint: (modelId, checkpoint) => addCheckpoint(store, canonicalId(modelId), checkpoint),
    listCheckpoints(modelId, query = {}) {
      const model = canonicalId(modelId);
      const has = (id: string) => store.hasCheckpoint(model, id);
      return readPage(query, has, (stretch) => store.listCheckpoints(model, stretch));
    },
    addEvent: (jobId, { type, data = {} }) => addEvent(store, canonicalId(jobId), type, data),
    listEvents(jobId, query = {}) {
      const job = canonicalId(jobId);
      const has = (id: string) => store.hasEvent(job, id);
      return readPage({ ...query, order: "asc" }, has, (stretch) => store.listEvents(job, stretch));
    },
  };
}

/** One spelling of an id; what is no uuid stays as it is. */
function canonicalId(id: string): string {
  return normaliseUuid(id) ?? id;
}
