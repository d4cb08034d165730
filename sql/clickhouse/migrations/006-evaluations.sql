-- One record for each parent of a trial and each root that names itself an evaluation, and another when that changes: the one of the latest
-- load counts. evaluation_key is the call_key of the root. The members of the root are null until it arrives. Times count microseconds since
-- 1970. first_load, first_position: where the first record of the evaluation or of a trial of it was.
CREATE TABLE IF NOT EXISTS evaluations {cluster} (
  project_key UInt64 CODEC(LZ4),
  evaluation_key UInt64 CODEC(NONE),
  load UInt64 CODEC(LZ4),
  id String,
  has_root Bool,
  hidden Bool,
  evaluation_ref Nullable(String) CODEC(ZSTD(1)),
  model_ref Nullable(String) CODEC(ZSTD(1)),
  display_name Nullable(String) CODEC(ZSTD(1)),
  trace_id Nullable(String),
  started_at Nullable(Int64),
  ended_at Nullable(Int64),
  exception Nullable(String) CODEC(ZSTD(1)),
  first_load UInt64,
  first_position UInt32,
  INDEX loads load TYPE minmax GRANULARITY 64
) ENGINE = {engine} ORDER BY (project_key, evaluation_key, load)
SETTINGS non_replicated_deduplication_window = 1000
