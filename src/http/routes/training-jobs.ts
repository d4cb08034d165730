import { z } from "zod";
import { isLongText } from "../../model/turns.ts";
import { boundFault, type JsonBounds } from "../../model/json-bounds.ts";
import { jobRequestSchema } from "../../training/job-request.ts";
import { jsonAnswer } from "../wire/answer.ts";
import { callerOf, projectOf } from "../keys/credentials.ts";
import { HttpError } from "../errors/http-error.ts";
import {
  IDEMPOTENCY_KEY,
  type OperationExample,
  PAGE_PARAMETERS,
  PROJECT_HEADER,
} from "../openapi/operation.ts";
import { pageParameters, parseRequestJson, readBodyText, segment } from "./read-request.ts";
import type { ProtectedRoute } from "./route.ts";
import type { BodyLimits } from "./service.ts";
import { pageAnswer, pageExample, pageSchema } from "./training-page.ts";

const MAX_DEPTH = 64;
const MAX_IDEMPOTENCY_KEY = 255;

const uuid = z.string().meta({ format: "uuid" });

const jobExample: OperationExample = {
  request: {
    model_id: "0198b0d4-6a4f-4c0e-9f53-2f1f0a4f7c11",
    trajectory_groups: [
      {
        trajectories: [
          {
            messages_and_choices: [
              { role: "user", content: "What is 2 + 2?" },
              { index: 0, finish_reason: "stop", message: { role: "assistant", content: "4" } },
            ],
            reward: 1,
            metrics: { correct: true },
          },
        ],
      },
    ],
    experimental_config: { learning_rate: 0.000005, ppo: null },
  },
  reply: { id: "5d3c2c0e-0f6a-4a39-8a5b-6f2f6d9f1b20" },
};

const createJob: ProtectedRoute = {
  method: "POST",
  path: "/v1/preview/training-jobs",
  access: "bearer",
  id: "createTrainingJob",
  summary: "Create a training job from trajectories",
  body: jobRequestSchema,
  reply: z.object({ id: uuid }).meta({ id: "TrainingJobCreated" }),
  parameters: [PROJECT_HEADER, IDEMPOTENCY_KEY],
  example: jobExample,
  async run({ engine, inference, limits }, asked, principal) {
    const { trace } = asked;
    const { headers } = asked.raw;
    trace.project = projectOf(headers, inference.config.project_header, principal);
    const idempotencyKey = idempotencyKeyOf(headers);
    const text = await readBodyText(asked, limits.training);
    const options = {
      keyId: principal.keyId,
      userId: principal.user,
      projectId: trace.project,
      caller: callerOf(principal),
      idempotencyKey,
    };
    const bounds = boundsOfLong(text, limits);
    const job =
      bounds === null
        ? await engine.training.createJob(parseRequestJson(text, MAX_DEPTH, limits), {
            ...options,
            raw: text,
          })
        : await engine.training.createJobJson(text, options, bounds);
    return jsonAnswer(JSON.stringify({ id: job.id }), { "x-should-retry": "false" });
  },
};

const listEvents: ProtectedRoute = {
  method: "GET",
  path: "/v1/preview/training-jobs/{job_id}/events",
  access: "bearer",
  id: "listTrainingEvents",
  reads: true,
  summary: "What has been told of a job",
  reply: pageSchema(z.object({ id: uuid, type: z.string(), data: z.looseObject({}) }), "TrainingEventPage"),
  parameters: PAGE_PARAMETERS,
  example: pageExample({
    id: "b6c1f9a4-7e0a-4a5b-9c65-0d9f4f3e8a77",
    type: "training_started",
    data: { num_sequences: 8 },
  }),
  async run({ engine }, asked, principal) {
    const jobId = segment(asked, "job_id");
    return pageAnswer(await engine.training.listEvents(jobId, pageParameters(asked), callerOf(principal)));
  },
};

export const trainingJobRoutes: readonly ProtectedRoute[] = [createJob, listEvents];

/**
 * What one trajectory of a request may have, where it is to be read trajectory by trajectory; null where it is short.
 */
export function boundsOfLong(text: string, { values, item }: BodyLimits): JsonBounds | null {
  const bounds = { depth: MAX_DEPTH, values, bytes: 2 * item };
  return isLongText(text) || boundFault(text, bounds)?.bound === "values" ? bounds : null;
}

export function idempotencyKeyOf(headers: Headers): string | undefined {
  const value = headers.get("idempotency-key") ?? "";
  if (value.length > MAX_IDEMPOTENCY_KEY) {
    const reason = `The Idempotency-Key is longer than ${MAX_IDEMPOTENCY_KEY} characters.`;
    throw new HttpError(400, "invalid_value", reason, { param: "Idempotency-Key" });
  }
  return value === "" ? undefined : value;
}
