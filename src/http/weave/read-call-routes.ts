import {
  callLine,
  callReply,
  countCallsRequest,
  readCallRequest,
  streamCallsRequest,
} from "../../weave/calls/read-requests.ts";
import { countReply } from "../../weave/tables/requests.ts";
import { streamedRoute, weaveRoute } from "./weave-route.ts";

const call = {
  id: "01a201f3-df88-764e-b4ac-28a956f5082a",
  project_id: "acme/qa",
  op_name: "weave:///acme/qa/op/Adder.predict:KaP9DUANzgtQTFf1kRvIk7caBcYxwHO6AIAAfGuaqes",
  started_at: "2026-01-31T12:00:00.000000Z",
};

const streamCalls = streamedRoute({
  path: "/calls/stream_query",
  id: "weaveStreamCalls",
  summary: "Calls that a filter selects, each as JSON on a line of its own (application/jsonl)",
  body: streamCallsRequest,
  reply: callLine,
  replyType: "application/jsonl",
  example: { request: { project_id: "acme/qa", filter: { trace_roots_only: true } }, reply: call },
  pieces: (text, weave, caller) => weave.streamCalls(text, caller),
});

export const readCallRoutes = [
  streamCalls,
  weaveRoute({
    path: "/calls/query_stats",
    id: "weaveCountCalls",
    reads: true,
    summary: "How many calls a filter selects",
    body: countCallsRequest,
    reply: countReply,
    example: { request: { project_id: "acme/qa" }, reply: { count: 12 } },
    run: (text, { weave, caller }) => weave.countCalls(text, caller),
  }),
  weaveRoute({
    path: "/call/read",
    id: "weaveReadCall",
    reads: true,
    summary: "One call; null where it is not stored",
    body: readCallRequest,
    reply: callReply,
    example: { request: { project_id: "acme/qa", id: call.id }, reply: { call } },
    run: (text, { weave, caller }) => weave.readCall(text, caller),
  }),
];
