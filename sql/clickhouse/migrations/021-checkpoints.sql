-- metrics: JSON object of finite numbers.
CREATE TABLE IF NOT EXISTS checkpoints {cluster} (
  model_id String,
  id String,
  step Int64,
  metrics String CODEC(ZSTD(1)),
  batch UInt64 CODEC(NONE)
) ENGINE = {engine} ORDER BY (model_id, step, id)
SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1, non_replicated_deduplication_window = 1000
