import { z } from "zod";
import { projectId } from "../../model/arguments.ts";

const MAX_NAMES = 10_000;

const count = z.int().nonnegative().nullish();
const names = z.array(z.string()).max(MAX_NAMES).nullish();
const page = { project_id: projectId, limit: count, offset: count };

export const runsRequest = z.looseObject({
  ...page,
  evaluation_run_ids: names,
  evaluations: names,
  models: names,
});

/** A request for predictions or scores. */
export const trialsRequest = z.looseObject({ ...page, evaluation_run_id: z.string().nullish() });

export const versionsRequest = z.looseObject(page);

export const oneRequest = z.looseObject({ project_id: projectId, id: z.string() });

export const versionRequest = z.looseObject({
  project_id: projectId,
  object_id: z.string(),
  digest: z.string(),
});

const object = z.looseObject({});
const time = z.string().meta({ format: "date-time" }).nullable();
const text = z.string().nullable();

export const runReply = z
  .object({
    evaluation_run_id: z.string(),
    evaluation: z.string(),
    model: z.string(),
    status: z.enum(["running", "failed", "completed"]),
    started_at: time,
    finished_at: time,
    summary: object.nullable(),
    source_evaluation_run_id: text,
  })
  .meta({ id: "WeaveEvaluationRun" });

export const predictionReply = z
  .object({
    prediction_id: z.string(),
    model: z.string(),
    inputs: object,
    output: z.unknown(),
    evaluation_run_id: z.string(),
    wb_user_id: text,
  })
  .meta({ id: "WeavePrediction" });

export const scoreReply = z
  .object({
    score_id: z.string(),
    scorer: z.string(),
    value: z.unknown(),
    evaluation_run_id: z.string(),
    prediction_id: z.string(),
    wb_user_id: text,
  })
  .meta({ id: "WeaveScore" });

export const versionReply = z
  .object({
    object_id: z.string(),
    digest: z.string(),
    version_index: z.int(),
    created_at: z.string().meta({ format: "date-time" }),
    name: z.string(),
    description: text,
    dataset: z.string(),
    scorers: z.array(z.string()),
    trials: z.int(),
    evaluation_name: text,
    evaluate_op: text,
    predict_and_score_op: text,
    summarize_op: text,
  })
  .meta({ id: "WeaveEvaluationVersion" });
