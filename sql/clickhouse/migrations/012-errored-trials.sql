-- One record a version of a trial that went wrong. own: its own call ended in an exception or has no output; else its predict call ended in one.
CREATE TABLE IF NOT EXISTS errored_trials {cluster} (
  project_key UInt64 CODEC(LZ4),
  evaluation_key UInt64 CODEC(LZ4),
  row_key UInt64 CODEC(NONE),
  trial_key UInt64 CODEC(NONE),
  load UInt64 CODEC(LZ4),
  own Bool,
  INDEX loads load TYPE minmax GRANULARITY 64
) ENGINE = {engine} ORDER BY (project_key, evaluation_key, row_key, trial_key)
SETTINGS non_replicated_deduplication_window = 1000
