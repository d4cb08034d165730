import { z } from "zod";
import { deleteCheckpointsSchema, logRequestSchema } from "../../training/log.ts";
import { callerOf } from "../keys/credentials.ts";
import { IDEMPOTENCY_KEY } from "../openapi/operation.ts";
import { jsonAnswer } from "../wire/answer.ts";
import { parseRequestJson, readBodyText, segment } from "./read-request.ts";
import type { ProtectedRoute, RouteRequest } from "./route.ts";
import { idempotencyKeyOf, boundsOfLong } from "./training-jobs.ts";

const MAX_DEPTH = 64;
const MODEL_ID = "0198b0d4-6a4f-4c0e-9f53-2f1f0a4f7c11";

const logTrajectories: ProtectedRoute = {
  method: "POST",
  path: "/v1/preview/models/{model_id}/log",
  access: "bearer",
  id: "logTrajectories",
  summary: "Store trajectories as an evaluation of the model's project",
  body: logRequestSchema,
  reply: z
    .object({ evaluation_call_id: z.string(), trial_count: z.int() })
    .meta({ id: "TrajectoriesLogged" }),
  parameters: [IDEMPOTENCY_KEY],
  example: {
    request: {
      model_id: MODEL_ID,
      split: "val",
      trajectory_groups: [
        {
          trajectories: [
            {
              messages_and_choices: [
                { role: "user", content: "What is 2 + 2?" },
                { role: "assistant", content: "4" },
              ],
              reward: 1,
            },
          ],
        },
      ],
    },
    reply: { evaluation_call_id: "01a201f4-197a-784b-87d9-34e7ddf99000", trial_count: 1 },
  },
  async run({ engine, limits }, asked, principal) {
    const idempotencyKey = idempotencyKeyOf(asked.raw.headers);
    const text = await readBodyText(asked, limits.training);
    const modelId = segment(asked, "model_id");
    const options = { keyId: principal.keyId, caller: callerOf(principal), idempotencyKey };
    const bounds = boundsOfLong(text, limits);
    const { training } = engine;
    const logged =
      bounds === null
        ? await training.logTrajectories(modelId, parseRequestJson(text, MAX_DEPTH, limits), {
            ...options,
            raw: text,
          })
        : await training.logTrajectoriesJson(modelId, text, options, bounds);
    return jsonAnswer(JSON.stringify(logged), { "x-should-retry": "false" });
  },
};

const deleteModel: ProtectedRoute = {
  method: "DELETE",
  path: "/v1/preview/models/{model_id}",
  access: "bearer",
  id: "deleteModel",
  summary: "Delete a model with its checkpoints; jobs, events and evaluations stay",
  reply: z
    .object({ model_id: z.string(), deleted_checkpoints: z.int(), deleted_run: z.literal(false) })
    .meta({ id: "ModelDeleted" }),
  example: { reply: { model_id: MODEL_ID, deleted_checkpoints: 2, deleted_run: false } },
  async run({ engine }, asked, principal) {
    const deleted = await engine.training.deleteModel(segment(asked, "model_id"), callerOf(principal));
    return jsonAnswer(JSON.stringify(deleted));
  },
};

const deleteCheckpoints: ProtectedRoute = {
  method: "DELETE",
  path: "/v1/preview/models/{model_id}/checkpoints",
  access: "bearer",
  id: "deleteCheckpoints",
  summary: "Delete the checkpoints of some steps",
  body: deleteCheckpointsSchema,
  reply: z
    .object({ deleted_count: z.int(), not_found_steps: z.array(z.int()) })
    .meta({ id: "CheckpointsDeleted" }),
  example: { request: { steps: [1, 2] }, reply: { deleted_count: 1, not_found_steps: [2] } },
  async run({ engine, limits }, asked, principal) {
    const text = hasBody(asked) ? await readBodyText(asked, limits.other) : "{}";
    const request = parseRequestJson(text, MAX_DEPTH, limits);
    const modelId = segment(asked, "model_id");
    return jsonAnswer(
      JSON.stringify(await engine.training.deleteCheckpoints(modelId, request, callerOf(principal))),
    );
  },
};

/** Without a body a member is missing, which tells more than a media type that is not there. */
function hasBody({ raw: { headers } }: RouteRequest): boolean {
  return headers.has("transfer-encoding") || Number(headers.get("content-length") ?? 0) > 0;
}

export const trainingLogRoutes: readonly ProtectedRoute[] = [logTrajectories, deleteModel, deleteCheckpoints];
