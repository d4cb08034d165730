-- What models cost in a project, per token, from a time on. Of equal times that price counts which was created last.
CREATE TABLE IF NOT EXISTS model_prices (
  project_id String CODEC(LZ4),
  id String,
  model String,
  provider String,
  effective_date Int64,
  prompt Float64,
  completion Float64,
  cache_read Float64,
  cache_creation Float64,
  prompt_unit String,
  completion_unit String,
  created_at Int64,
  created_by String,
  batch UInt64 CODEC(NONE)
) ENGINE = {engine} ORDER BY (project_id, id)
SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1, non_replicated_deduplication_window = 1000;
