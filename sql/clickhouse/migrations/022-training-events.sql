-- The events of a job in the order in which they were stored.
CREATE TABLE IF NOT EXISTS training_events {cluster} (
  job_id String,
  id String,
  type String,
  data String CODEC(ZSTD(1)),
  batch UInt64 CODEC(NONE)
) ENGINE = {engine} ORDER BY (job_id)
SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1, non_replicated_deduplication_window = 1000
