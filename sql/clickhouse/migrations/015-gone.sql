-- The version of a trial that the load `born` made ends with the load `load`.
CREATE TABLE IF NOT EXISTS gone {cluster} (
  project_key UInt64 CODEC(LZ4),
  evaluation_key UInt64 CODEC(LZ4),
  trial_key UInt64 CODEC(NONE),
  born UInt64,
  load UInt64 CODEC(LZ4),
  INDEX loads load TYPE minmax GRANULARITY 64
) ENGINE = {engine} ORDER BY (project_key, evaluation_key, trial_key, born)
SETTINGS non_replicated_deduplication_window = 1000
