import { z } from "zod";
import { modelRequestSchema } from "../../training/models.ts";
import { jsonAnswer } from "../wire/answer.ts";
import { callerOf, checkProject } from "../keys/credentials.ts";
import type { Principal } from "../keys/key-ring.ts";
import { ORDER_PARAMETER, PAGE_PARAMETERS } from "../openapi/operation.ts";
import { parseRequestJson, pageParameters, readBodyText, segment } from "./read-request.ts";
import type { ProtectedRoute } from "./route.ts";
import { trainingLogRoutes } from "./training-log.ts";
import { pageAnswer, pageExample, pageSchema } from "./training-page.ts";

const MAX_DEPTH = 64;

const uuid = z.string().meta({ format: "uuid" });

const modelSchema = z
  .object({
    id: uuid,
    entity: z.string(),
    project: z.string(),
    name: z.string(),
    base_model: z.string(),
    run_id: z.null(),
  })
  .meta({ id: "TrainingModel" });

const model = { entity: "acme", project: "qa", name: "agent", base_model: "base-7b" };

const registerModel: ProtectedRoute = {
  method: "POST",
  path: "/v1/preview/models",
  access: "bearer",
  id: "registerModel",
  summary: "Register a model to train",
  body: modelRequestSchema,
  reply: modelSchema,
  example: {
    request: { ...model, return_existing: true },
    reply: { id: "0198b0d4-6a4f-4c0e-9f53-2f1f0a4f7c11", ...model, run_id: null },
  },
  async run({ engine, limits }, asked, principal) {
    const request = parseRequestJson(await readBodyText(asked, limits.other), MAX_DEPTH, limits);
    const registered = await engine.training.registerModel(request, {
      entity: entityOf(principal),
      authorize(projectId) {
        checkProject(principal, projectId);
        asked.trace.project = projectId;
      },
    });
    return jsonAnswer(JSON.stringify({ ...registered, run_id: null }));
  },
};

/**
 * The entity of requests that name none: that of the key's first project pattern other than `*`, or the user's name.
 */
function entityOf(principal: Principal): string {
  const named = principal.projects.find((pattern) => pattern !== "*");
  return named?.slice(0, named.indexOf("/")) ?? principal.user;
}

const listCheckpoints: ProtectedRoute = {
  method: "GET",
  path: "/v1/preview/models/{model_id}/checkpoints",
  access: "bearer",
  id: "listCheckpoints",
  reads: true,
  summary: "Checkpoints by step, then id",
  reply: pageSchema(
    z.object({ id: uuid, step: z.int(), metrics: z.record(z.string(), z.number()) }),
    "CheckpointPage",
  ),
  parameters: [...PAGE_PARAMETERS, ORDER_PARAMETER],
  example: pageExample({
    id: "9f1c7a52-1d7c-4a8e-b7a0-3c5d7f2f9e01",
    step: 1,
    metrics: { reward: 0.5 },
  }),
  async run({ engine }, asked, principal) {
    const modelId = segment(asked, "model_id");
    const query = pageParameters(asked);
    return pageAnswer(await engine.training.listCheckpoints(modelId, query, callerOf(principal)));
  },
};

export const trainingModelRoutes: readonly ProtectedRoute[] = [
  registerModel,
  listCheckpoints,
  ...trainingLogRoutes,
];
