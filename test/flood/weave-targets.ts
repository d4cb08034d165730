import { PROJECT } from "../support/records.ts";
import type { HttpTarget } from "./http-requests.ts";

const start = {
  project_id: PROJECT,
  id: "w1",
  trace_id: "t",
  parent_id: null,
  op_name: "step",
  started_at: "2026-01-01T00:00:00.000001Z",
  attributes: {},
  inputs: { x: 1 },
};
const end = {
  project_id: PROJECT,
  id: "w1",
  ended_at: "2026-01-01T00:00:01.000001Z",
  output: [1.5],
  summary: { usage: {} },
  exception: null,
};
const note = {
  project_id: PROJECT,
  weave_ref: `weave:///${PROJECT}/call/e1`,
  feedback_type: "wandb.note.1",
  payload: { note: "x" },
};
const isStep = { $eq: [{ $getField: "op_name" }, { $literal: "step" }] };

/** A table of one row and a version of an object, stored beforehand, so that they can be asked for. */
export const WEAVE_TABLE = { table: { project_id: PROJECT, rows: [{ n: 1 }] } };
export const WEAVE_OBJECT = { obj: { project_id: PROJECT, object_id: "model", val: { a: [1] } } };

function read(path: string, body: object): HttpTarget {
  return { name: `weave ${path}`, method: "POST", path, scheme: "basic", body, writes: false };
}

function write(path: string, body: object): HttpTarget {
  return { ...read(path, body), writes: true };
}

/** The endpoints of SDKs of W&B Weave; `table`: the digest of the stored table, `row`: of its row. */
export function weaveTargets({ table, row }: { readonly table: string; readonly row: string }): HttpTarget[] {
  const query = { project_id: PROJECT, filter: { op_names: ["step"] }, query: { $expr: isStep }, limit: 2 };
  return [
    write(`/v2/${PROJECT}/calls/complete`, { batch: [{ ...start, ...end }] }),
    write(`/v2/${PROJECT}/call/start`, { start }),
    write("/call/end", { end }),
    write("/call/upsert_batch", {
      batch: [
        { mode: "end", req: { end } },
        { mode: "start", req: { start } },
      ],
    }),
    write("/call/update", { project_id: PROJECT, call_id: "w1", display_name: "x" }),
    write("/calls/delete", { project_id: PROJECT, call_ids: ["w2"] }),
    read("/calls/stream_query", { ...query, sort_by: [{ field: "started_at", direction: "desc" }] }),
    read("/calls/query_stats", query),
    read("/call/read", { project_id: PROJECT, id: "w1" }),
    write("/obj/create", WEAVE_OBJECT),
    read("/obj/read", { project_id: PROJECT, object_id: "model", digest: "latest" }),
    read("/objs/query", { project_id: PROJECT, filter: { latest_only: true, is_op: false }, limit: 2 }),
    write("/table/create", WEAVE_TABLE),
    write("/table/create_from_digests", { project_id: PROJECT, row_digests: [row] }),
    write("/table/update", {
      project_id: PROJECT,
      base_digest: table,
      updates: [{ append: { row: { n: 2 } } }, { pop: { index: 0 } }],
    }),
    read("/table/query", { project_id: PROJECT, digest: table, sort_by: [{ field: "n" }], limit: 2 }),
    read("/table/query_stats", { project_id: PROJECT, digest: table }),
    read("/refs/read_batch", { refs: [`weave:///${PROJECT}/object/model:latest/attr/a/index/0`] }),
    write("/feedback/create", note),
    read("/feedback/query", {
      project_id: PROJECT,
      query: { $expr: { $eq: [{ $getField: "feedback_type" }, { $literal: "wandb.note.1" }] } },
      limit: 2,
    }),
    read("/feedback/stats", {
      project_id: PROJECT,
      start: "2026-01-01",
      feedback_type: "wandb.note.1",
      timezone: "Europe/Berlin",
      granularity: 86_400,
      metrics: [{ json_path: "note", value_type: "numeric", aggregations: ["sum"], percentiles: [50] }],
    }),
    read("/feedback/aggregate", {
      project_id: PROJECT,
      after_ms: 0,
      before_ms: 4e12,
      feedback_types: ["wandb.*"],
      rating_min: 0,
      group_by: ["scorer_id"],
      time_bucket_seconds: 60,
    }),
    read("/feedback/payload_schema", { project_id: PROJECT, start: "2026-01-01", sample_limit: 10 }),
    write("/cost/create", {
      project_id: PROJECT,
      costs: { m: { prompt_token_cost: 1, completion_token_cost: 2, effective_date: "2026-01-01" } },
    }),
    read("/cost/query", { project_id: PROJECT, query: { $expr: isStep.$eq[1] }, limit: 2 }),
    write("/cost/purge", {
      project_id: PROJECT,
      query: { $expr: { $in: [{ $getField: "id" }, [{ $literal: "none" }]] } },
    }),
    read("/graphql", { query: "query { viewer { username } }", variables: {} }),
    read("/service/projects_info", { project_ids: [PROJECT] }),
  ];
}
