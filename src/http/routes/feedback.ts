import {
  selectionSchema,
  type CreateFeedbackOptions,
  type ListFeedbackOptions,
} from "../../feedback/feedback.ts";
import { feedbackRecordSchema } from "../../feedback/record.ts";
import { checkProject } from "../keys/credentials.ts";
import type { Principal } from "../keys/key-ring.ts";
import { countParameter, parseRequestJson, projectOfPath, readBodyText } from "./read-request.ts";
import type { ProtectedRoute, RouteRequest } from "./route.ts";
import type { ServiceEngine } from "./service.ts";
import { jsonAnswer } from "../wire/answer.ts";
import { checkArgument } from "../../model/arguments.ts";
import { nextTurn } from "../../model/turns.ts";
import { idsOf, purgeRequest } from "../../weave/conditions/named-ids.ts";
import { z } from "zod";

const PURGE_DEPTH = 16;

/** Deletes by id only, as a condition on anything else would delete more than was seen. */
const purgeFeedbackRoute: ProtectedRoute = {
  method: "POST",
  path: "/feedback/purge",
  access: "basic",
  id: "purgeFeedback",
  summary: "Delete feedback by id, for good",
  body: purgeRequest,
  reply: z.object({}).meta({ id: "FeedbackPurged" }),
  example: {
    request: {
      project_id: "acme/qa",
      query: { $expr: { $eq: [{ $getField: "id" }, { $literal: "0198b0d4-6a4f-7c0e-9f53-2f1f0a4f7c11" }] } },
    },
    reply: {},
  },
  async run({ engine, limits }, request, principal) {
    const body = parseRequestJson(await readBodyText(request, limits.other), PURGE_DEPTH, limits);
    const { project_id, query } = checkArgument(body, purgeRequest);
    checkProject(principal, project_id);
    request.trace.project = project_id;
    await nextTurn();
    await engine.feedback.purge(project_id, { ids: idsOf(query.$expr) });
    return jsonAnswer("{}");
  },
};

/** Deletes what the library would, and tells how much. */
const purgeSelected: ProtectedRoute = {
  method: "DELETE",
  path: "/v2/{entity}/{project}/feedback",
  access: "basic",
  id: "purgeSelectedFeedback",
  summary: "Delete feedback by id, object or type, for good",
  body: selectionSchema.meta({ id: "FeedbackSelection" }),
  reply: z.object({ purged: z.int() }).meta({ id: "FeedbackPurgedCount" }),
  example: { request: { feedback_type: "svc.note.1" }, reply: { purged: 2 } },
  async run({ engine, limits }, request, principal) {
    const projectId = projectOfPath(request, principal);
    const selection = parseRequestJson(await readBodyText(request, limits.other), PURGE_DEPTH, limits);
    await nextTurn();
    return jsonAnswer(JSON.stringify(await engine.feedback.purge(projectId, selection as object)));
  },
};

const listed = z
  .object({
    data: z.array(z.looseObject({ id: z.string(), created_at: z.string().meta({ format: "date-time" }) })),
    has_more: z.boolean(),
  })
  .meta({ id: "FeedbackList" });

const listFeedback: ProtectedRoute = {
  method: "GET",
  path: "/v2/{entity}/{project}/feedback",
  access: "basic",
  id: "listFeedback",
  reads: true,
  summary: "Feedback of a project, oldest first, in pages",
  parameters: ["svc_ref", "feedback_type", "since", "until", "after", "limit"].map((name) => ({
    name,
    in: "query",
    schema:
      name === "limit" ? { type: "integer", minimum: 1, maximum: 1000, default: 100 } : { type: "string" },
  })),
  reply: listed,
  example: {
    reply: {
      data: [{ id: "0198b0d4-6a4f-7c0e-9f53-2f1f0a4f7c11", created_at: "2026-01-31T12:00:00.000000Z" }],
      has_more: false,
    },
  },
  async run({ engine }, request, principal) {
    const projectId = projectOfPath(request, principal);
    const limit = countParameter(request, "limit");
    const given = Object.fromEntries(new URL(request.raw.url).searchParams);
    const options = limit === undefined ? given : { ...given, limit };
    return jsonAnswer(await engine.feedback.listJson(projectId, options as ListFeedbackOptions));
  },
};

const MAX_DEPTH = 256;
/** The object and the list around the records of a batch. */
const BATCH_DEPTH = 2;

const createdSchema = z
  .object({
    id: z.string(),
    created_at: z.string().meta({ format: "date-time" }),
    svc_user_id: z.string(),
    payload: z.looseObject({}),
  })
  .meta({ id: "FeedbackCreated" });

const example = {
  request: {
    project_id: "acme/qa",
    svc_ref: "svc:///acme/qa/call/trial-1",
    feedback_type: "svc.note.1",
    payload: { note: "Right, but too long." },
  },
  reply: {
    id: "0198b0d4-6a4f-7c0e-9f53-2f1f0a4f7c11",
    created_at: "2026-01-31T12:00:00.000000Z",
    svc_user_id: "ann",
    payload: { note: "Right, but too long." },
  },
};

const create: ProtectedRoute = {
  method: "POST",
  path: "/feedback/create",
  access: "basic",
  id: "createFeedback",
  summary: "Attach feedback to an object, op or call",
  body: feedbackRecordSchema,
  reply: createdSchema,
  example,
  run: storing(
    MAX_DEPTH,
    ({ weave, feedback }, text, giver) =>
      weave?.createFeedback(text, giver) ?? feedback.createJson(text, giver),
  ),
};

const replace: ProtectedRoute = {
  method: "POST",
  path: "/feedback/replace",
  access: "basic",
  id: "replaceFeedback",
  summary: "Replace one record of feedback by another, in one transaction",
  body: feedbackRecordSchema
    .extend({
      feedback_id: z.string().min(1).max(128).meta({
        description: "The feedback that goes; without an `id` of its own, the new one has this",
      }),
    })
    .meta({ id: "FeedbackReplacement" }),
  reply: createdSchema,
  example: { request: { ...example.request, feedback_id: example.reply.id }, reply: example.reply },
  run: storing(
    MAX_DEPTH,
    ({ weave, feedback }, text, giver) =>
      weave?.replaceFeedback(text, giver) ?? feedback.replaceJson(text, giver),
  ),
};

const createBatch: ProtectedRoute = {
  method: "POST",
  path: "/feedback/batch/create",
  access: "basic",
  id: "createFeedbackBatch",
  summary: "Attach feedback to objects, ops or calls: all records or none",
  body: z.strictObject({ batch: z.array(feedbackRecordSchema) }).meta({ id: "FeedbackBatch" }),
  reply: z.object({ res: z.array(createdSchema) }).meta({ id: "FeedbackBatchCreated" }),
  example: { request: { batch: [example.request] }, reply: { res: [example.reply] } },
  run: storing(
    MAX_DEPTH + BATCH_DEPTH,
    ({ weave, feedback }, text, giver) =>
      weave?.createFeedbackBatch(text, giver) ?? feedback.createManyJson(text, giver),
  ),
};

/** Reads a body of at most so many levels, and answers what storing it gives. */
function storing(
  depth: number,
  store: (engine: ServiceEngine, text: string, giver: CreateFeedbackOptions) => Promise<string>,
): ProtectedRoute["run"] {
  return async ({ engine, limits }, request, principal) => {
    const text = await readBodyText(request, limits.other);
    parseRequestJson(text, depth, limits);
    return jsonAnswer(await store(engine, text, giverOf(request, principal)));
  };
}

function giverOf({ trace }: RouteRequest, principal: Principal): CreateFeedbackOptions {
  return {
    userId: principal.user,
    authorize(named) {
      checkProject(principal, named);
      trace.project = named;
    },
  };
}

export const feedbackRoutes: readonly ProtectedRoute[] = [
  create,
  createBatch,
  replace,
  purgeFeedbackRoute,
  purgeSelected,
  listFeedback,
];
