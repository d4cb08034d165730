import { z } from "zod";
import { feedbackRecordSchema } from "../../feedback/record.ts";
import { jsonAnswer } from "../wire/answer.ts";
import { checkProject } from "../keys/credentials.ts";
import { parseRequestJson, readBodyText } from "./read-request.ts";
import type { ProtectedRoute } from "./route.ts";

const MAX_DEPTH = 256;

const createdSchema = z
  .object({
    id: z.string(),
    created_at: z.string().meta({ format: "date-time" }),
    svc_user_id: z.string(),
    payload: z.looseObject({}),
  })
  .meta({ id: "FeedbackCreated" });

const create: ProtectedRoute = {
  method: "POST",
  path: "/feedback/create",
  access: "basic",
  id: "createFeedback",
  summary: "Attach feedback to an object, op or call",
  body: feedbackRecordSchema,
  reply: createdSchema,
  example: {
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
  },
  async run({ engine, limits }, request, principal) {
    const text = await readBodyText(request, limits.other);
    parseRequestJson(text, MAX_DEPTH);
    const stored = await engine.feedback.createJson(text, {
      userId: principal.user,
      authorize(projectId) {
        checkProject(principal, projectId);
        request.trace.project = projectId;
      },
    });
    return jsonAnswer(stored);
  },
};

export const feedbackRoutes: readonly ProtectedRoute[] = [create];
