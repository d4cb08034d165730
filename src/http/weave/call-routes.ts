import { streamedRoute, weaveRoute } from "./weave-route.ts";
import {
  callLine,
  callReply,
  completeRequest,
  countCallsRequest,
  deletedReply,
  deleteRequest,
  emptyReply,
  endRequest,
  readCallRequest,
  renameRequest,
  startReply,
  startRequest,
  streamCallsRequest,
  upsertReply,
  upsertRequest,
} from "../../weave/calls/requests.ts";
import { countReply } from "../../weave/tables/requests.ts";

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

const start = {
  project_id: "acme/qa",
  id: "01a201f3-df88-764e-b4ac-28a956f5082a",
  trace_id: "01a201f3-df88-77c3-9853-05700a83589e",
  op_name: "weave:///acme/qa/op/Adder.predict:KaP9DUANzgtQTFf1kRvIk7caBcYxwHO6AIAAfGuaqes",
  started_at: "2026-01-31T12:00:00.000000Z",
  attributes: {},
  inputs: { question: "What is 2 + 2?" },
};
const end = {
  project_id: "acme/qa",
  id: start.id,
  ended_at: "2026-01-31T12:00:01.000000Z",
  output: "4",
  summary: {},
};
const started = { id: start.id, trace_id: start.trace_id };

const ofProject = "/v2/{entity}/{project}";

/** The same endpoint with the project in its address, and in the body alone. */
function startRoute(path: string, id: string) {
  return weaveRoute({
    path,
    id,
    summary: "Store the start of a call",
    body: startRequest,
    reply: startReply,
    example: { request: { start }, reply: started },
    run: (text, { weave, caller }) => weave.startCall(text, caller),
  });
}

function endRoute(path: string, id: string) {
  return weaveRoute({
    path,
    id,
    summary: "Store the end of a call, also before its start",
    body: endRequest,
    reply: emptyReply,
    example: { request: { end }, reply: {} },
    run: (text, { weave, caller }) => weave.endCall(text, caller),
  });
}

export const writeCallRoutes = [
  weaveRoute({
    path: `${ofProject}/calls/complete`,
    id: "weaveCompleteCalls",
    summary: "Store a batch of finished calls, all or none",
    body: completeRequest,
    reply: emptyReply,
    example: { request: { batch: [{ ...start, ...end }] }, reply: {} },
    run: (text, { weave, caller }) => weave.completeCalls(text, caller),
  }),
  startRoute(`${ofProject}/call/start`, "weaveStartCallOfProject"),
  endRoute(`${ofProject}/call/end`, "weaveEndCallOfProject"),
  startRoute("/call/start", "weaveStartCall"),
  endRoute("/call/end", "weaveEndCall"),
  weaveRoute({
    path: "/call/upsert_batch",
    id: "weaveUpsertCalls",
    summary: "Store a batch of starts and ends of calls, all or none",
    body: upsertRequest,
    reply: upsertReply,
    example: {
      request: {
        batch: [
          { mode: "start", req: { start } },
          { mode: "end", req: { end } },
        ],
      },
      reply: { res: [started, {}] },
    },
    run: (text, { weave, caller }) => weave.upsertCalls(text, caller),
  }),
  weaveRoute({
    path: "/call/update",
    id: "weaveRenameCall",
    summary: "Name a call, also before its start",
    body: renameRequest,
    reply: emptyReply,
    example: {
      request: { project_id: "acme/qa", call_id: start.id, display_name: "first try" },
      reply: {},
    },
    run: (text, { weave, caller }) => weave.renameCall(text, caller),
  }),
  weaveRoute({
    path: "/calls/delete",
    id: "weaveDeleteCalls",
    summary: "Hide calls and what ran below them",
    body: deleteRequest,
    reply: deletedReply,
    example: { request: { project_id: "acme/qa", call_ids: [start.id] }, reply: { num_deleted: 1 } },
    run: (text, { weave, caller }) => weave.deleteCalls(text, caller),
  }),
];
