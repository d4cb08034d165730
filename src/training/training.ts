import { EvalcubeError } from "../errors.ts";
import type { JsonBounds } from "../model/json-bounds.ts";
import { addCheckpoint, type AddedCheckpoint, type NewCheckpoint } from "./checkpoints.ts";
import {
  addEvent,
  createJob,
  createJobOptions,
  jobOf,
  readJobText,
  toJob,
  type CreateJobOptions,
  type JobHook,
  type NewEvent,
  type TrainingJob,
} from "./jobs.ts";
import {
  deleteCheckpoints,
  deleteModel,
  logRequestSchema,
  logTrajectories,
  type LoggedTrajectories,
  type StoreCallTexts,
} from "./log.ts";
import { checkArgument, plainText } from "../model/arguments.ts";
import { normaliseUuid } from "./job-request.ts";
import { registerModel, toModel, type RegisterModelOptions, type TrainingModel } from "./models.ts";
import { callerSchema, isVisible, type Caller } from "./ownership.ts";
import { requestText } from "../model/schema-issues.ts";
import { readPage, type Page, type PageQuery } from "./page.ts";
import type { TrainingStore } from "./sql-store.ts";
import type { StoredCheckpoint, StoredEvent } from "./stored.ts";

/** Training jobs, their events, models and checkpoints. */
export interface Training {
  /** Stores a job durably, then hands it to `onJob`. Throws `RequestError` of kind `schema`. */
  createJob(request: unknown, options?: CreateJobOptions): Promise<{ readonly id: string }>;
  /**
   * Like {@link Training.createJob}, from the JSON text of a job of any length; `raw` is that text, `bounds` are those
   * of each trajectory.
   */
  createJobJson(
    text: string,
    options?: CreateJobOptions,
    bounds?: JsonBounds,
  ): Promise<{ readonly id: string }>;
  /** Returns a job as it was stored; null where there is none. */
  getJob(id: string): Promise<TrainingJob | null>;
  /** Registers a model, or returns the existing one of its name with `return_existing`. Throws `RequestError`. */
  registerModel(request: unknown, options: RegisterModelOptions): Promise<TrainingModel>;
  /** Returns a registered model; null where there is none. */
  getModel(id: string): Promise<TrainingModel | null>;
  /**
   * Stores trajectories as one evaluation of the model's project: a trial for each, in groups by prompt. `options` as
   * those of a job. Throws `RequestError`, and `EvalcubeError`, code `model_not_found`.
   */
  logTrajectories(modelId: string, request: unknown, options?: CreateJobOptions): Promise<LoggedTrajectories>;
  /** Like {@link Training.logTrajectories}, as {@link Training.createJobJson} is like {@link Training.createJob}. */
  logTrajectoriesJson(
    modelId: string,
    text: string,
    options?: CreateJobOptions,
    bounds?: JsonBounds,
  ): Promise<LoggedTrajectories>;
  /** Deletes a registered model with its checkpoints; jobs, events and evaluations stay. Throws `model_not_found`. */
  deleteModel(modelId: string, caller?: Caller): ReturnType<typeof deleteModel>;
  /** Deletes the checkpoints of a model at the steps of `{ steps }`. Throws `RequestError`. */
  deleteCheckpoints(modelId: string, request: unknown, caller?: Caller): ReturnType<typeof deleteCheckpoints>;
  /** Stores a checkpoint of a model durably. Throws `RequestError`. */
  addCheckpoint(modelId: string, checkpoint: NewCheckpoint): Promise<AddedCheckpoint>;
  /**
   * Lists checkpoints by step, then id. The page is empty for a model without checkpoints, known or not, and for a
   * model that is not visible to the caller.
   */
  listCheckpoints(modelId: string, query?: PageQuery, caller?: Caller): Promise<Page<StoredCheckpoint>>;
  /** Adds an event to a job: `training_started`, `gradient_step`, `training_ended`, `training_failed`. */
  addEvent(jobId: string, event: NewEvent): Promise<StoredEvent>;
  /**
   * Lists events in the order in which they were added. Throws `EvalcubeError`, code `not_found`, where the caller
   * has no such job.
   */
  listEvents(jobId: string, query?: PageQuery, caller?: Caller): Promise<Page<StoredEvent>>;
}

interface TrainingOptions {
  /** Hands a stored job to the trainer. If it fails, the job gets the event `training_failed`. */
  readonly onJob?: JobHook | undefined;
  /** Stores the calls of logged trajectories. */
  readonly storeCalls?: StoreCallTexts | undefined;
}

/** Creates the training API over `store`. */
export function createTraining(store: TrainingStore, options: TrainingOptions = {}): Training {
  return {
    createJob: async (request, jobOptions = {}) =>
      createJob(store, options.onJob, jobOf(request, jobOptions), jobOptions),
    createJobJson: async (text, jobOptions = {}, bounds) =>
      createJob(store, options.onJob, await readJobText(text, bounds), jobOptions),
    async getJob(id) {
      const job = await store.getJob(canonicalId(id, "job_id"));
      return job === undefined ? null : toJob(job);
    },
    registerModel: (request, modelOptions) => registerModel(store, request, modelOptions),
    async getModel(id) {
      const model = await store.getModel(canonicalId(id, "model_id"));
      return model === undefined ? null : toModel(model);
    },
    ...createLogging(store, options),
    addCheckpoint: async (modelId, checkpoint) =>
      addCheckpoint(store, canonicalId(modelId, "model_id"), checkpoint),
    async listCheckpoints(modelId, query = {}, asking) {
      const caller = checkArgument(asking, callerSchema, ["caller"]);
      const model = canonicalId(modelId, "model_id");
      const visible = caller === undefined || isVisible((await store.ownersOfModel(model)).owners, caller);
      return readPage(
        query,
        async (id) => visible && (await store.hasCheckpoint(model, id)),
        async (stretch) => (visible ? store.listCheckpoints(model, stretch) : []),
      );
    },
    addEvent: async (jobId, event) => addEvent(store, canonicalId(jobId, "job_id"), event),
    async listEvents(jobId, query = {}, asking) {
      const caller = checkArgument(asking, callerSchema, ["caller"]);
      const job = canonicalId(jobId, "job_id");
      if (caller !== undefined && !isVisible(await store.ownersOfJob(job), caller)) {
        throw new EvalcubeError("not_found", "There is no training job with this id.");
      }
      const has = (id: string) => store.hasEvent(job, id);
      return readPage(query, has, (stretch) => store.listEvents(job, { ...stretch, order: "asc" }));
    },
  };
}

function createLogging(
  store: TrainingStore,
  options: TrainingOptions,
): Pick<Training, "logTrajectories" | "logTrajectoriesJson" | "deleteModel" | "deleteCheckpoints"> {
  const logJson: Training["logTrajectoriesJson"] = async (modelId, text, logOptions = {}, bounds) => {
    const id = canonicalId(modelId, "model_id");
    return logTrajectories(store, options.storeCalls, id, text, logOptions, bounds);
  };
  return {
    logTrajectories: async (modelId, request, logOptions = {}) => {
      checkArgument(request, logRequestSchema);
      const { raw } = checkArgument(logOptions, createJobOptions, ["options"]);
      return logJson(modelId, raw ?? requestText(request), logOptions);
    },
    logTrajectoriesJson: logJson,
    deleteModel: async (modelId, asking) =>
      deleteModel(store, canonicalId(modelId, "model_id"), checkArgument(asking, callerSchema, ["caller"])),
    deleteCheckpoints: async (modelId, request, asking) => {
      const caller = checkArgument(asking, callerSchema, ["caller"]);
      return deleteCheckpoints(store, canonicalId(modelId, "model_id"), request, caller);
    },
  };
}

/** Returns the stored spelling of a UUID; any other id is unchanged. */
function canonicalId(given: unknown, name: string): string {
  const id = checkArgument(given, plainText, [name]);
  return normaliseUuid(id) ?? id;
}
