import type { BinaryType } from "./row-binary.ts";

const TRIAL = {
  project_key: "UInt64",
  evaluation_key: "UInt64",
  row_key: "UInt64",
  trial_key: "UInt64",
} as const;
const LOAD = { load: "UInt64" } as const;

/** The tables that loads fill, with the columns that they insert. */
export const TABLES = {
  projects: { project_key: "UInt64", project_id: "String", ...LOAD },
  fragments: {
    project_key: "UInt64",
    group_key: "UInt64",
    call_key: "UInt64",
    ...LOAD,
    position: "UInt32",
    parent_key: "UInt64",
    part: "UInt8",
    name_rank: "UInt8",
    record: "String",
  },
  call_groups: { project_key: "UInt64", call_key: "UInt64", group_key: "UInt64", ...LOAD },
  evaluations: {
    project_key: "UInt64",
    evaluation_key: "UInt64",
    ...LOAD,
    id: "String",
    has_root: "Bool",
    hidden: "Bool",
    evaluation_ref: "Nullable(String)",
    model_ref: "Nullable(String)",
    display_name: "Nullable(String)",
    trace_id: "Nullable(String)",
    started_at: "Nullable(Int64)",
    ended_at: "Nullable(Int64)",
    exception: "Nullable(String)",
    first_load: "UInt64",
    first_position: "UInt32",
  },
  score_paths: {
    project_key: "UInt64",
    path_key: "UInt64",
    ...LOAD,
    path: "String",
    leaf: "Bool",
    container: "Bool",
    list: "Bool",
    max_exponent: "Nullable(Int32)",
    min_exponent: "Nullable(Int32)",
    low_bit: "Nullable(Int32)",
  },
  trials: { ...TRIAL, ...LOAD, started_at: "Int64", first_load: "UInt64", first_position: "UInt32" },
  trial_texts: {
    ...TRIAL,
    ...LOAD,
    latency_seconds: "Nullable(Float64)",
    total_tokens: "Nullable(Float64)",
    own_latency_seconds: "Nullable(Float64)",
    own_total_tokens: "Nullable(Float64)",
    id: "String",
    predict_call_id: "Nullable(String)",
    scorer_call_ids: "Nullable(String)",
    output: "Nullable(String)",
    output_doc: "Nullable(String)",
    late_scores: "Nullable(String)",
    reference_prefix: "Nullable(String)",
    example: "Nullable(String)",
  },
  scores: {
    ...TRIAL,
    path_key: "UInt64",
    ...LOAD,
    kind: "UInt8",
    late: "Bool",
    number: "Float64",
    text: "String",
  },
  null_scores: { ...TRIAL, path_key: "UInt64", ...LOAD, late: "Bool" },
  errored_trials: { ...TRIAL, ...LOAD, own: "Bool" },
  rows: {
    project_key: "UInt64",
    row_key: "UInt64",
    ...LOAD,
    position: "UInt32",
    digest: "String",
    value: "Nullable(String)",
    value_doc: "Nullable(String)",
    inline_example: "Nullable(String)",
    inline_doc: "Nullable(String)",
    referenced: "Bool",
    respelled: "Bool",
  },
  row_digests: { project_key: "UInt64", digest: "String", row_key: "UInt64", ...LOAD },
  gone: {
    project_key: "UInt64",
    evaluation_key: "UInt64",
    trial_key: "UInt64",
    born: "UInt64",
    ...LOAD,
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, BinaryType>>>>;

export type TableName = keyof typeof TABLES;

/** The names of the tables that loads fill. */
export const TABLE_NAMES = Object.keys(TABLES) as readonly TableName[];
