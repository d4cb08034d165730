-- One record a version of a trial, narrow: presence and order are read from it. trial_key is its call_key. started_at counts microseconds since
-- 1970. first_load, first_position: where the first record of its call was.
CREATE TABLE IF NOT EXISTS trials {cluster} (
  project_key UInt64 CODEC(LZ4),
  evaluation_key UInt64 CODEC(LZ4),
  row_key UInt64 CODEC(NONE),
  trial_key UInt64 CODEC(NONE),
  load UInt64 CODEC(LZ4),
  started_at Int64 CODEC(NONE),
  first_load UInt64 CODEC(LZ4),
  first_position UInt32,
  INDEX loads load TYPE minmax GRANULARITY 64
) ENGINE = {engine} ORDER BY (project_key, evaluation_key, row_key, trial_key)
SETTINGS non_replicated_deduplication_window = 1000
