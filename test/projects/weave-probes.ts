import { OWNER, STRANGER, type OwnerIds } from "./two-projects.ts";
import type { Build } from "./probes.ts";

const at = "2026-01-01T00:00:00.000001Z";
const start = (project_id: string, id: string) => ({
  project_id,
  id,
  trace_id: "t",
  op_name: "step",
  started_at: at,
  attributes: {},
  inputs: {},
});
const end = (project_id: string, id: string) => ({ project_id, id, ended_at: at, summary: {} });
const post = (path: string, body: object) => ({ path, scheme: "Basic" as const, body });

const PRICE = { prompt_token_cost: 1, completion_token_cost: 2 };

/** Requests of SDKs of W&B Weave that name a project. */
function inProject(ids: OwnerIds): readonly ((project_id: string) => ReturnType<typeof post>)[] {
  const [call = ""] = ids.calls;
  const digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  const val = { a: 1 };
  const isCall = { $eq: [{ $getField: "id" }, { $literal: call }] };
  return [
    (project_id) => post("/calls/stream_query", { project_id }),
    (project_id) => post("/calls/query_stats", { project_id }),
    (project_id) => post("/call/read", { project_id, id: call }),
    (project_id) => post("/calls/delete", { project_id, call_ids: [call] }),
    (project_id) => post("/call/update", { project_id, call_id: call, display_name: "x" }),
    (project_id) => post("/call/start", { start: start(project_id, call) }),
    (project_id) => post("/call/end", { end: end(project_id, call) }),
    (project_id) =>
      post("/call/upsert_batch", {
        batch: [STRANGER, project_id].map((one) => ({ mode: "start", req: { start: start(one, call) } })),
      }),
    (project_id) => post("/obj/create", { obj: { project_id, object_id: "m", val } }),
    (project_id) => post("/obj/read", { project_id, object_id: "m", digest: "latest" }),
    (project_id) => post("/objs/query", { project_id }),
    (project_id) => post("/table/create", { table: { project_id, rows: [val] } }),
    (project_id) => post("/table/create_from_digests", { project_id, row_digests: [] }),
    (project_id) => post("/table/update", { project_id, base_digest: digest, updates: [] }),
    (project_id) => post("/table/query", { project_id, digest }),
    (project_id) => post("/table/query_stats", { project_id, digest }),
    (project_id) => post("/file/content", { project_id, digest }),
    (project_id) => post("/feedback/query", { project_id }),
    (project_id) => post("/cost/create", { project_id, costs: { m: PRICE } }),
    (project_id) => post("/feedback/stats", { project_id, start: at, metrics: [{ json_path: "value" }] }),
    (project_id) => post("/feedback/aggregate", { project_id, after_ms: 0, before_ms: 4e12 }),
    (project_id) => post("/feedback/payload_schema", { project_id, start: at }),
    (project_id) => post("/cost/query", { project_id }),
    (project_id) => post("/cost/purge", { project_id, query: { $expr: isCall } }),
    (project_id) => post("/service/projects_info", { project_ids: [STRANGER, project_id] }),
    (project_id) => post("/refs/read_batch", { refs: [`weave:///${project_id}/object/m:latest`] }),
  ];
}

export const WEAVE_BUILDS: Readonly<Record<string, Build>> = {
  "a request of an SDK in a project": (ids, { pick }) => {
    const asked = pick(inProject(ids));
    return { foreign: OWNER, ask: asked };
  },
  "finished calls for a project": (ids, { pick }) => {
    const [call, path] = [pick(ids.calls), pick(["address", "body"])];
    const calls = (id: string) => ({ batch: [{ ...start(id, call), ...end(id, call) }] });
    const asked = (id: string) => post(`/v2/${path === "address" ? id : STRANGER}/calls/complete`, calls(id));
    return { foreign: OWNER, ask: asked };
  },
  "calls of an SDK by id": (ids, { pick }) => {
    const asked = pick([
      (id: string) => post("/call/read", { project_id: STRANGER, id }),
      (id: string) => post("/calls/delete", { project_id: STRANGER, call_ids: [id] }),
      (id: string) => post("/calls/stream_query", { project_id: STRANGER, filter: { call_ids: [id] } }),
      (id: string) => post("/calls/query_stats", { project_id: STRANGER, filter: { parent_ids: [id] } }),
    ]);
    return { foreign: pick(ids.calls), ask: asked };
  },
};
