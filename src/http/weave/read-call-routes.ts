import {
  callLine,
  callReply,
  countCallsRequest,
  readCallRequest,
  streamCallsRequest,
} from "../../weave/calls/read-requests.ts";
import { countReply } from "../../weave/tables/requests.ts";
import { stopWith } from "../../inference/upstream/upstream.ts";
import type { ProtectedRoute } from "../routes/route.ts";
import { answerInPieces } from "../wire/streamed-answer.ts";
import { readText, weaveRoute, workOf } from "./weave-route.ts";

const call = {
  id: "01a201f3-df88-764e-b4ac-28a956f5082a",
  project_id: "acme/qa",
  op_name: "weave:///acme/qa/op/Adder.predict:KaP9DUANzgtQTFf1kRvIk7caBcYxwHO6AIAAfGuaqes",
  started_at: "2026-01-31T12:00:00.000000Z",
};

const streamCalls: ProtectedRoute = {
  method: "POST",
  path: "/calls/stream_query",
  access: "basic",
  id: "weaveStreamCalls",
  summary: "Calls that a filter selects, each as JSON on a line of its own (application/jsonl)",
  body: streamCallsRequest,
  reply: callLine,
  replyType: "application/jsonl",
  example: { request: { project_id: "acme/qa", filter: { trace_roots_only: true } }, reply: call },
  async run(service, request, principal) {
    const { weave, caller } = workOf(service, request, principal);
    const text = await readText(request, service.limits.other);
    const stop = stopWith(request.raw.signal);
    const pieces = weave.streamCalls(text, { ...caller, signal: stop.signal });
    return answerInPieces(pieces, { trace: request.trace, stop, type: "application/jsonl" });
  },
};

export const readCallRoutes = [
  streamCalls,
  weaveRoute({
    path: "/calls/query_stats",
    id: "weaveCountCalls",
    summary: "How many calls a filter selects",
    body: countCallsRequest,
    reply: countReply,
    example: { request: { project_id: "acme/qa" }, reply: { count: 12 } },
    limit: "other",
    run: (text, { weave, caller }) => weave.countCalls(text, caller),
  }),
  weaveRoute({
    path: "/call/read",
    id: "weaveReadCall",
    summary: "One call; null where it is not stored",
    body: readCallRequest,
    reply: callReply,
    example: { request: { project_id: "acme/qa", id: call.id }, reply: { call } },
    limit: "other",
    run: (text, { weave, caller }) => weave.readCall(text, caller),
  }),
];
