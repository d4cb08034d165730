import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { EvalcubeError, requestFault, UnsupportedError } from "../errors.ts";
import { checkArgument, plainText } from "../model/arguments.ts";
import type { JsonBounds } from "../model/json-bounds.ts";
import { normaliseUuid, trajectoryGroups } from "./job-request.ts";
import { evaluationRecords, type LoggedEvaluation } from "./log-records.ts";
import { createJobOptions, hashOf, mismatch, unknownModel, type CreateJobOptions } from "./jobs.ts";
import { isVisible } from "./ownership.ts";
import { readJob, type SentTrajectory } from "./read-job.ts";
import type { TrainingStore } from "./sql-store.ts";
import type { StoredModel } from "./stored.ts";

/** Schema of trajectories to log, as a client sends them. */
export const logRequestSchema = z
  .looseObject({
    model_id: z.string().nullish(),
    trajectory_groups: trajectoryGroups,
    split: plainText
      .min(1)
      .max(128)
      .meta({ examples: ["val"] }),
  })
  .meta({ id: "TrajectoryLog" });

/** What a log has become. */
export interface LoggedTrajectories {
  /** The evaluation, in the project of the model. */
  readonly evaluation_call_id: string;
  /** Its trials, one a trajectory. */
  readonly trial_count: number;
}

/** Stores calls from their JSON texts, all or none; resolves when they are durable. */
export type StoreCallTexts = (texts: readonly string[]) => Promise<unknown>;

/** Makes an evaluation of trajectories, in the project of the model, from the JSON text of a request. */
export async function logTrajectories(
  store: TrainingStore,
  storeCalls: StoreCallTexts | undefined,
  modelId: string,
  text: string,
  options: CreateJobOptions,
  bounds?: JsonBounds,
): Promise<LoggedTrajectories> {
  if (storeCalls === undefined)
    throw new UnsupportedError("logTrajectories", "logTrajectories: these records have no evaluations");
  const { keyId = null, idempotencyKey, caller } = checkArgument(options, createJobOptions, ["options"]);
  const {
    request: parsed,
    rest,
    results: trajectories,
  } = await readJob(checkArgument(text, z.string()), logRequestSchema, loggedOf, bounds);
  checkModelId(parsed.model_id, modelId);
  const model = await store.getModel(modelId);
  if (model === undefined || !isVisible((await store.ownersOfModel(modelId)).owners, caller))
    throw unknownModel();
  const id = uuidv7();
  const key =
    idempotencyKey === undefined
      ? null
      : { keyId, key: idempotencyKey, requestHash: await hashOf(text, `log ${modelId} `) };
  const claimed = key === null ? { id } : await store.claimLog(id, key);
  if ("requestHash" in claimed && claimed.requestHash !== key?.requestHash) throw mismatch();
  const step = await stepOf(store, model, trajectories);
  const evaluation: LoggedEvaluation = { id: claimed.id, model, split: parsed.split, step };
  const records = await evaluationRecords(evaluation, rest, trajectories);
  await storeCalls(records);
  return { evaluation_call_id: claimed.id, trial_count: records.length - 1 };
}

function checkModelId(sent: string | null | undefined, modelId: string): void {
  if (sent == null || (normaliseUuid(sent) ?? sent) === modelId) return;
  const msg = `must be the model of the address, ${modelId}`;
  throw requestFault("schema", ["model_id"], msg, "invalid_value");
}

/** What is kept of a trajectory while others are read. */
function loggedOf({ text, group, trajectory }: SentTrajectory) {
  const { final_policy_version, initial_policy_version } = trajectory;
  return { text, group, final_policy_version, initial_policy_version };
}

/** The step that trajectories say they are of, else that of the latest checkpoint. */
async function stepOf(
  store: TrainingStore,
  { id }: StoredModel,
  all: readonly ReturnType<typeof loggedOf>[],
): Promise<number> {
  for (const name of ["final_policy_version", "initial_policy_version"] as const) {
    const steps = all.flatMap((one) => one[name] ?? []);
    if (steps.length > 0) return steps.reduce((a, b) => Math.max(a, b));
  }
  const [latest] = await store.listCheckpoints(id, { after: null, limit: 1, order: "desc" });
  return latest?.step ?? 0;
}

/** Deletes a registered model with its checkpoints. */
export async function deleteModel(
  store: TrainingStore,
  modelId: string,
  caller: CreateJobOptions["caller"],
): Promise<{ readonly model_id: string; readonly deleted_checkpoints: number; readonly deleted_run: false }> {
  const deleted = await store.deleteModel(modelId, ({ owners }) => isVisible(owners, caller));
  if (deleted === null) throw new EvalcubeError("model_not_found", "There is no model with this id.");
  return { model_id: modelId, deleted_checkpoints: deleted, deleted_run: false };
}

const MAX_STEPS = 10_000;

export const deleteCheckpointsSchema = z
  .looseObject({ steps: z.array(z.int()).max(MAX_STEPS) })
  .meta({ id: "CheckpointDeletion" });

/** Deletes the checkpoints of a model at some steps. */
export async function deleteCheckpoints(
  store: TrainingStore,
  modelId: string,
  request: unknown,
  caller: CreateJobOptions["caller"],
): Promise<{ readonly deleted_count: number; readonly not_found_steps: readonly number[] }> {
  const steps = [...new Set(checkArgument(request, deleteCheckpointsSchema).steps)];
  const { count, found } = await store.deleteCheckpoints(modelId, steps, ({ owners }) =>
    isVisible(owners, caller),
  );
  return { deleted_count: count, not_found_steps: steps.filter((step) => !found.has(step)) };
}
