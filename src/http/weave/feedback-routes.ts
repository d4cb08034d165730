import { feedbackReply, queryFeedbackRequest } from "../../weave/feedback/requests.ts";
import {
  feedbackAggregateReply,
  feedbackAggregateRequest,
  feedbackStatsReply,
  feedbackStatsRequest,
  payloadSchemaReply,
  payloadSchemaRequest,
} from "../../weave/feedback/statistics-requests.ts";
import { streamedRoute, weaveRoute } from "./weave-route.ts";

const project_id = "acme/qa";
const start = "2026-01-31T12:00:00.000000Z";
const end = "2026-01-31T12:05:00.000000Z";
const [after_ms, before_ms] = [1_769_860_800_000, 1_769_861_100_000];

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

const stats = weaveRoute({
  path: "/feedback/stats",
  id: "weaveFeedbackStats",
  reads: true,
  summary: "Figures of the payloads of feedback, in buckets of time and of all",
  body: feedbackStatsRequest,
  reply: feedbackStatsReply,
  example: {
    request: { project_id, start, end, metrics: [{ json_path: "output.score", aggregations: ["avg"] }] },
    reply: {
      start,
      end,
      granularity: 300,
      timezone: "UTC",
      buckets: [{ timestamp: start, count: 0, avg_output_score: null }],
      window_stats: { output_score: { avg: null } },
    },
  },
  run: (text, { weave, caller }) => weave.feedbackStats(text, caller),
});

const aggregate = weaveRoute({
  path: "/feedback/aggregate",
  id: "weaveFeedbackAggregate",
  reads: true,
  summary: "Tags and ratings of feedback, counted and added up by time and giver",
  body: feedbackAggregateRequest,
  reply: feedbackAggregateReply,
  example: {
    request: { project_id, after_ms, before_ms, group_by: ["scorer_id"], time_bucket_seconds: 300 },
    reply: { after_ms, before_ms, time_bucket_seconds: 300, buckets: [] },
  },
  run: (text, { weave, caller }) => weave.aggregateFeedback(text, caller),
});

const payloadSchema = weaveRoute({
  path: "/feedback/payload_schema",
  id: "weavePayloadSchema",
  reads: true,
  summary: "The paths of the payloads of feedback, and what is there",
  body: payloadSchemaRequest,
  reply: payloadSchemaReply,
  example: { request: { project_id, start, end }, reply: { paths: [] } },
  run: (text, { weave, caller }) => weave.payloadSchema(text, caller),
});

export const feedbackRoutes = [queryFeedback, stats, aggregate, payloadSchema];
