import type { RecordTable } from "../../store/session.ts";
import type { BinaryType } from "../insert/row-binary.ts";

type Columns = Readonly<Record<string, BinaryType>>;

/** What was sent about a version of an object when it is published again. */
const VERSION = { project_id: "String", object_id: "String", digest: "String" } as const;

/** The columns that records have here, but for `batch`. What a number says elsewhere follows from the order of inserts. */
export const RECORD_COLUMNS: { readonly [Table in RecordTable]: Columns } = {
  feedback: {
    project_id: "String",
    id: "String",
    created_at: "Int64",
    svc_user_id: "String",
    svc_ref: "String",
    feedback_type: "String",
    content: "String",
    content_doc: "Nullable(String)",
  },
  training_jobs: {
    id: "String",
    model_id: "String",
    created_at: "Int64",
    project_id: "Nullable(String)",
    user_id: "Nullable(String)",
    request: "String",
    keyed: "Bool",
  },
  training_idempotency: {
    key_id: "Nullable(String)",
    idempotency_key: "String",
    job_id: "String",
    request_hash: "String",
  },
  trajectories: {
    job_id: "String",
    group_index: "UInt32",
    trajectory_index: "UInt32",
    reward: "Float64",
    initial_policy_version: "Nullable(Float64)",
    final_policy_version: "Nullable(Float64)",
    metrics: "String",
    start_time: "Nullable(Int64)",
  },
  training_models: {
    id: "String",
    entity: "String",
    project: "String",
    name: "String",
    base_model: "String",
  },
  checkpoints: { model_id: "String", id: "String", step: "Int64", metrics: "String" },
  training_events: { job_id: "String", id: "String", type: "String", data: "String" },
  usage: {
    request_id: "String",
    key_id: "String",
    user_id: "String",
    project_id: "Nullable(String)",
    model: "String",
    started_at: "Int64",
    status: "UInt32",
    streamed: "Bool",
    outcome: "String",
    prompt_tokens: "Nullable(Int64)",
    completion_tokens: "Nullable(Int64)",
    cached_tokens: "Nullable(Int64)",
    latency_ms: "Float64",
    first_token_ms: "Nullable(Float64)",
  },
  object_versions: {
    ...VERSION,
    created_at: "Int64",
    kind: "String",
    base_object_class: "Nullable(String)",
    leaf_object_class: "Nullable(String)",
    user_id: "Nullable(String)",
    val: "String",
  },
  row_tables: { project_id: "String", digest: "String", created_at: "Int64", row_digests: "String" },
  row_spellings: { project_id: "String", digest: "String", val: "String" },
  stored_files: { project_id: "String", digest: "String", created_at: "Int64", bytes: "String" },
};
