-- A name is that of one model of its project: of the one that was stored first.
CREATE TABLE IF NOT EXISTS training_models {cluster} (
  id String,
  entity String,
  project String,
  name String,
  base_model String,
  batch UInt64 CODEC(NONE)
) ENGINE = {engine} ORDER BY (entity, project, name)
SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1, non_replicated_deduplication_window = 1000
