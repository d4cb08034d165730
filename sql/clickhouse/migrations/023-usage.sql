-- One record a completion request. started_at counts microseconds since 1970. Token counts are null when the model server did not say;
-- first_token_ms is null where nothing was streamed.
CREATE TABLE IF NOT EXISTS usage {cluster} (
  request_id String,
  key_id String,
  user_id String,
  project_id Nullable(String),
  model String,
  started_at Int64,
  status UInt32,
  streamed Bool,
  outcome String,
  prompt_tokens Nullable(Int64),
  completion_tokens Nullable(Int64),
  cached_tokens Nullable(Int64),
  latency_ms Float64,
  first_token_ms Nullable(Float64),
  batch UInt64 CODEC(NONE)
) ENGINE = {engine} ORDER BY (started_at)
SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1, non_replicated_deduplication_window = 1000
