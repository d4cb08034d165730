import {
  createObjectRequest,
  objectCreated,
  objectReply,
  objectsReply,
  queryObjectsRequest,
  readObjectRequest,
} from "../../weave/objects/requests.ts";
import { readReferencesRequest, referencesReply } from "../../weave/references/references.ts";
import { streamedRoute, weaveRoute } from "./weave-route.ts";

const digest = "YTYlqmU0Pbsbmr5qusZ3P1yRvWDT8vX34urmnh24sic";
const version = {
  project_id: "acme/qa",
  object_id: "adder",
  digest,
  created_at: "2026-01-31T12:00:00.000000Z",
  version_index: 0,
  is_latest: 1,
  kind: "object",
  base_object_class: null,
  leaf_object_class: null,
  val: { x: 1 },
};

const queryObjects = streamedRoute({
  path: "/objs/query",
  id: "weaveQueryObjects",
  summary: "Versions of the objects of a project",
  body: queryObjectsRequest,
  reply: objectsReply,
  example: {
    request: { project_id: "acme/qa", filter: { latest_only: true } },
    reply: { objs: [version] },
  },
  pieces: (text, weave, caller) => weave.queryObjects(text, caller),
});

export const objectRoutes = [
  weaveRoute({
    path: "/obj/create",
    id: "weaveCreateObject",
    summary: "Store a version of an object",
    body: createObjectRequest,
    reply: objectCreated,
    example: {
      request: { obj: { project_id: "acme/qa", object_id: "adder", val: { x: 1 } } },
      reply: { digest, object_id: "adder" },
    },
    run: (text, { weave, caller }) => weave.createObject(text, caller),
  }),
  weaveRoute({
    path: "/obj/read",
    id: "weaveReadObject",
    reads: true,
    summary: "A version of an object",
    body: readObjectRequest,
    reply: objectReply,
    example: {
      request: { project_id: "acme/qa", object_id: "adder", digest: "latest" },
      reply: { obj: version },
    },
    run: (text, { weave, caller }) => weave.readObject(text, caller),
  }),
  queryObjects,
  streamedRoute({
    path: "/refs/read_batch",
    id: "weaveReadReferences",
    summary: "The values that references lead to",
    body: readReferencesRequest,
    reply: referencesReply,
    example: {
      request: { refs: ["weave:///acme/qa/object/adder:latest/attr/x"] },
      reply: { vals: [1] },
    },
    pieces: (text, weave, caller) => weave.readReferences(text, caller),
  }),
];
