-- Times count microseconds since 1970. Ids of jobs, models, checkpoints and events are uuids in lower case.
-- One record a job; request: the text as it was sent. keyed: the job has an idempotency key, and counts where the first record of that key in
-- training_idempotency, which is stored after it, names it.
CREATE TABLE IF NOT EXISTS training_jobs {cluster} (
  id String,
  model_id String,
  created_at Int64,
  project_id Nullable(String),
  user_id Nullable(String),
  request String CODEC(ZSTD(1)),
  keyed Bool,
  batch UInt64 CODEC(NONE)
) ENGINE = {engine} ORDER BY (id)
SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1, non_replicated_deduplication_window = 1000
