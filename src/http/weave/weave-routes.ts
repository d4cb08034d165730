import { feedbackReply, queryFeedbackRequest } from "../../weave/feedback/requests.ts";
import type { Route } from "../routes/route.ts";
import { costRoutes } from "./cost-routes.ts";
import { evaluationRoutes } from "./evaluation-routes.ts";
import { fileRoutes } from "./file-routes.ts";
import { objectRoutes } from "./object-routes.ts";
import { readCallRoutes, writeCallRoutes } from "./call-routes.ts";
import { sessionRoutes } from "./session-routes.ts";
import { tableRoutes } from "./table-routes.ts";
import { streamedRoute } from "./weave-route.ts";

const feedback = {
  id: "01a201f4-197a-784b-87d9-34e7ddf99000",
  project_id: "acme/qa",
  weave_ref: "weave:///acme/qa/call/trial-1",
  wb_user_id: "ann",
  created_at: "2026-01-31T12:00:00.000000Z",
  feedback_type: "wandb.note.1",
  payload: { note: "Right, but too long." },
};

const queryFeedback = streamedRoute({
  path: "/feedback/query",
  id: "weaveQueryFeedback",
  summary: "Feedback of a project that a condition selects",
  body: queryFeedbackRequest,
  reply: feedbackReply,
  example: {
    request: {
      project_id: "acme/qa",
      query: { $expr: { $eq: [{ $getField: "weave_ref" }, { $literal: feedback.weave_ref }] } },
    },
    reply: { result: [feedback], total_count: 1 },
  },
  pieces: (text, weave, caller) => weave.queryFeedback(text, caller),
});

export const weaveRoutes: readonly Route[] = [
  ...sessionRoutes,
  ...writeCallRoutes,
  ...readCallRoutes,
  ...evaluationRoutes,
  ...objectRoutes,
  ...tableRoutes,
  ...fileRoutes,
  ...costRoutes,
  queryFeedback,
];

/** An SDK appends this where it is told one address for everything. */
export const BELOW_TRACES = "/traces";
