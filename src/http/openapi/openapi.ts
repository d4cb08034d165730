import type { z } from "zod";
import { feedbackRecordSchema } from "../../feedback/record.ts";
import { chatReplySchema, chatRequestSchema, modelListSchema } from "../../inference/request/chat-schema.ts";
import { evalResultsRequest } from "../../request/wire.ts";
import { jobRequestSchema } from "../../training/job-request.ts";
import { modelRequestSchema } from "../../training/model-request.ts";
import { collectSchemas, type SchemaCollection } from "./json-schemas.ts";
import { describeOperation, headerParameter, PAGE_PARAMETERS, pathParameter } from "./operation.ts";
import * as replies from "./reply-schemas.ts";

/** The OpenAPI 3.1 description of the service, from the schemas that check its requests. */
export function createOpenApi(basePath = "/"): Record<string, unknown> {
  const collection = collectSchemas();
  const paths = {
    ...basicPaths(collection),
    ...inferencePaths(collection),
    ...trainingPaths(collection),
    ...modelPaths(collection),
  };
  return {
    openapi: "3.1.0",
    info: {
      title: "evalcube",
      version: "1",
      description: "Feedback, evaluation results, model inference and training records.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: basePath }],
    paths: { ...paths, ...openPaths() },
    components: {
      schemas: collection.schemas,
      securitySchemes: {
        basic: { type: "http", scheme: "basic", description: "The key's user, or `api`, and the key" },
        bearer: { type: "http", scheme: "bearer", description: "The key" },
      },
    },
  };
}

const PROJECT_HEADER = headerParameter("OpenAI-Project", "ENTITY/PROJECT that the request is counted for");
const IDEMPOTENCY_KEY = headerParameter(
  "Idempotency-Key",
  "Up to 255 characters; the same request sent again under it is not a second job",
);

function basicPaths(collection: SchemaCollection) {
  const operation = (id: string, summary: string, body: z.ZodType, reply: z.ZodType) =>
    describeOperation(collection, { id, summary, security: "basic", body, reply });
  return {
    "/feedback/create": {
      post: operation(
        "createFeedback",
        "Attach feedback to an object, op or call",
        feedbackRecordSchema,
        replies.feedbackCreatedSchema,
      ),
    },
    "/v2/{entity}/{project}/eval_results/query": {
      parameters: [pathParameter("entity"), pathParameter("project")],
      post: operation(
        "queryEvalResults",
        "Results of evaluations, grouped by dataset row",
        evalResultsRequest,
        replies.evalResultsSchema,
      ),
    },
  };
}

function inferencePaths(collection: SchemaCollection) {
  const security = "bearer";
  const chat = (id: string) => ({
    post: describeOperation(collection, {
      id,
      summary: "Create a chat completion; with `stream`, as server-sent events",
      security,
      body: chatRequestSchema,
      reply: chatReplySchema,
      parameters: [PROJECT_HEADER],
      streams: true,
    }),
  });
  return {
    "/v1/models": {
      get: describeOperation(collection, {
        id: "listModels",
        summary: "Models that can be used",
        security,
        reply: modelListSchema,
        parameters: [PROJECT_HEADER],
      }),
    },
    "/v1/chat/completions": chat("createChatCompletion"),
    "/v1/chat/completions/": chat("createChatCompletionWithSlash"),
  };
}

function trainingPaths(collection: SchemaCollection) {
  const security = "bearer";
  return {
    "/v1/preview/training-jobs": {
      post: describeOperation(collection, {
        id: "createTrainingJob",
        summary: "Create a training job from trajectories",
        security,
        body: jobRequestSchema,
        reply: replies.jobCreatedSchema,
        parameters: [PROJECT_HEADER, IDEMPOTENCY_KEY],
      }),
    },
    "/v1/preview/training-jobs/{job_id}/events": {
      parameters: [pathParameter("job_id")],
      get: describeOperation(collection, {
        id: "listTrainingEvents",
        summary: "What has been told of a job",
        security,
        reply: replies.eventPageSchema,
        parameters: PAGE_PARAMETERS.slice(0, 2),
      }),
    },
  };
}

function modelPaths(collection: SchemaCollection) {
  const security = "bearer";
  return {
    "/v1/preview/models": {
      post: describeOperation(collection, {
        id: "registerModel",
        summary: "Register a model to train",
        security,
        body: modelRequestSchema,
        reply: replies.trainingModelSchema,
      }),
    },
    "/v1/preview/models/{model_id}/checkpoints": {
      parameters: [pathParameter("model_id")],
      get: describeOperation(collection, {
        id: "listCheckpoints",
        summary: "Checkpoints by step, then id",
        security,
        reply: replies.checkpointPageSchema,
        parameters: PAGE_PARAMETERS,
      }),
    },
  };
}

function openPaths() {
  return {
    "/healthz": openDocument("health", "Whether the service is up"),
    "/openapi.json": openDocument("describe", "This description"),
  };
}

function openDocument(operationId: string, summary: string) {
  const content = { "application/json": { schema: { type: "object" } } };
  return { get: { operationId, summary, security: [], responses: { 200: { description: "OK", content } } } };
}
