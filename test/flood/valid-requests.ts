import { PROJECT, trial } from "../support/records.ts";

export const MODEL_ID = "0198b0d4-0000-4000-8000-00000000000a";

export const QUERY = {
  evaluation_call_ids: ["e", "f"],
  filters: [{ query: { $expr: { $gt: [{ $getField: "scores.acc" }, { $literal: 1 }] } }, quantifier: "any" }],
  sort_by: [{ field: "scores.acc", direction: "desc" }],
  include_summary: true,
  include_raw_data_rows: true,
  pass_k: [1],
  histogram_bins: 4,
  moved: { field: "scores.acc", baseline: "e", direction: "any" },
  missing: { field: "scores.acc" },
  search: "a",
  derived_scores: { total: "acc * 2" },
  limit: 2,
};
export const COMPARE = { baseline: "e", candidates: ["f"], confidence: 0.9, adjust: "holm", margin: 0.1 };
export const REPORT = {
  evaluations: ["e", "f"],
  baseline: "f",
  scorers: ["acc"],
  confidence: 0.9,
  pass_k: [1, 2],
  outputs: "none",
  max_bytes: 100_000,
  title: "t",
};
export const AGREEMENT = { evaluations: ["e", "f"], a: "acc", b: "ok", confidence: 0.9 };
export const STATEMENT = "SELECT model_output, $1 AS one FROM trials WHERE evaluation_call_id = $2";
export const RECORD = trial(
  "new",
  { n: 9 },
  { acc: 0.5, nested: { a: [1, null] } },
  {
    ended_at: "2026-01-01T00:00:01Z",
    attributes: { svc: { a: 1 } },
    summary: { usage: { m: { total_tokens: 3 } } },
    display_name: "new",
  },
);
export const ROW = { project_id: PROJECT, digest: "row", val: { a: [1, "x"] } };
export const PURGE = {
  project_id: PROJECT,
  query: { $expr: { $in: [{ $getField: "id" }, [{ $literal: "none" }]] } },
};

export const NOTE = {
  project_id: PROJECT,
  svc_ref: "svc:///acme/qa/call/e1",
  feedback_type: "svc.note.1",
  payload: { note: "x" },
  creator: "ann",
};
export const JOB = {
  model_id: MODEL_ID,
  trajectory_groups: [{ trajectories: [{ reward: 1, metrics: { a: 1 }, logs: ["x"], tools: null }] }],
  experimental_config: { ppo: true, epsilon: 0.1 },
};
export const MODEL = { entity: "acme", project: "qa", name: "m", base_model: "b", return_existing: true };
