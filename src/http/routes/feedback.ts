import { requestFault } from "../../errors.ts";
import type { CreateFeedbackOptions } from "../../feedback/feedback.ts";
import { feedbackRecordSchema } from "../../feedback/record.ts";
import { checkProject } from "../keys/credentials.ts";
import type { Principal } from "../keys/key-ring.ts";
import { parseRequestJson, readBodyText } from "./read-request.ts";
import type { ProtectedRoute, RouteRequest } from "./route.ts";
import type { ServiceEngine } from "./service.ts";
import { jsonAnswer } from "../wire/answer.ts";
import { checkArgument, projectId } from "../../model/arguments.ts";
import { nextTurn } from "../../model/turns.ts";
import { z } from "zod";

const PURGE_DEPTH = 16;

const idField = z.strictObject({ $getField: z.string() });
const literal = z.strictObject({ $literal: z.unknown() });
const equal = z.strictObject({ $eq: z.tuple([idField, literal]) });
const within = z.strictObject({ $in: z.tuple([idField, z.array(literal)]) });
const either = z.strictObject({ $or: z.array(z.union([equal, within])) });

type Expression = z.output<typeof either> | z.output<typeof equal> | z.output<typeof within>;

const purgeSchema = z
  .strictObject({
    project_id: projectId,
    query: z
      .strictObject({ $expr: z.looseObject({}) })
      .meta({ description: "`id` equal to a text (`$eq`), among texts (`$in`), or an `$or` of these" }),
  })
  .meta({ id: "FeedbackPurge" });

/** Deletes by id only, as a condition on anything else would delete more than was seen. */
const purgeFeedbackRoute: ProtectedRoute = {
  method: "POST",
  path: "/feedback/purge",
  access: "basic",
  id: "purgeFeedback",
  summary: "Delete feedback by id, for good",
  body: purgeSchema,
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
    const { project_id, query } = checkArgument(body, purgeSchema);
    checkProject(principal, project_id);
    request.trace.project = project_id;
    await nextTurn();
    await engine.feedback.purge(project_id, { ids: idsOf(query.$expr) });
    return jsonAnswer("{}");
  },
};

/** The ids that an expression names; throws 400 on an expression of another form. */
function idsOf(expression: unknown): string[] {
  const parsed = z.union([equal, within, either]).safeParse(expression);
  const ids = parsed.success ? idsIn(parsed.data) : null;
  if (ids !== null) return ids;
  const msg =
    'must say which ids: { "$eq": [{ "$getField": "id" }, { "$literal": "…" }] }, $in, or $or of these';
  throw requestFault("meaning", ["query", "$expr"], msg, "unsupported_query");
}

/** Null where a part is about another field, or compares with what is no text. */
function idsIn(expression: Expression): string[] | null {
  if ("$or" in expression) {
    const parts = expression.$or.map(idsIn);
    return parts.every((part) => part !== null) ? parts.flat() : null;
  }
  const [field, values] =
    "$eq" in expression ? ([expression.$eq[0], [expression.$eq[1]]] as const) : expression.$in;
  const ids = values.map(({ $literal }) => $literal).filter((value) => typeof value === "string");
  return field.$getField === "id" && ids.length === values.length ? ids : null;
}

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

export const feedbackRoutes: readonly ProtectedRoute[] = [create, createBatch, replace, purgeFeedbackRoute];
