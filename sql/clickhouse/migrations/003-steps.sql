-- What a call below others tells, as all of its records make it when it was written: what is above it, and what it tells of a step. The
-- record of the greatest (load, position) counts; a call that was hidden once stays hidden. Statements see calls only here. parent_key: the
-- parent, 0 for none. began: its start is known. For the other columns see the schema of DuckDB. The next writer that opens the database adds calls
-- that were stored before.
CREATE TABLE IF NOT EXISTS call_steps (
  project_key UInt64 CODEC(LZ4),
  parent_key UInt64 CODEC(LZ4),
  call_key UInt64 CODEC(NONE),
  load UInt64 CODEC(LZ4),
  position UInt32,
  began Bool,
  hidden Bool,
  id String CODEC(ZSTD(1)),
  parent_id String CODEC(ZSTD(1)),
  started_at Int64,
  ended_at Nullable(Int64),
  operation UInt8,
  by_usage Bool,
  is_score Bool,
  error_unknown Bool,
  untimed UInt8,
  action Nullable(UInt64),
  place Nullable(Int64),
  input_tokens Nullable(Int64),
  output_tokens Nullable(Int64),
  cached_tokens Nullable(Int64),
  cost Nullable(Float64),
  name Nullable(String) CODEC(ZSTD(1)),
  model Nullable(String) CODEC(ZSTD(1)),
  finish_reason Nullable(String) CODEC(ZSTD(1)),
  error_type Nullable(String) CODEC(ZSTD(1)),
  INDEX loads load TYPE minmax GRANULARITY 64
) ENGINE = {engine} ORDER BY (project_key, parent_key, call_key, load, position)
SETTINGS non_replicated_deduplication_window = 1000;

-- Why a trial ended, as its call, its predict call or its output says it.
ALTER TABLE trials ADD COLUMN IF NOT EXISTS
  stop_reason Nullable(String) CODEC(ZSTD(1));

ALTER TABLE trial_texts ADD COLUMN IF NOT EXISTS
  stop_reason Nullable(String) CODEC(ZSTD(1));
