-- One record a score leaf of a version of a trial. kind % 4: 0 number, 1 boolean, 2 text; 4 is added where `number` means nothing. number: the
-- numeric reading of any kind. text: of a text, and of an integer that a double cannot hold; else empty. late: from a score call, not the trial.
CREATE TABLE IF NOT EXISTS scores {cluster} (
  project_key UInt64 CODEC(LZ4),
  evaluation_key UInt64 CODEC(LZ4),
  path_key UInt64 CODEC(LZ4),
  row_key UInt64 CODEC(NONE),
  trial_key UInt64 CODEC(NONE),
  load UInt64 CODEC(LZ4),
  kind UInt8,
  late Bool,
  number Float64 CODEC(NONE),
  text String CODEC(ZSTD(1)),
  INDEX loads load TYPE minmax GRANULARITY 64
) ENGINE = {engine} ORDER BY (project_key, evaluation_key, path_key, row_key, trial_key)
SETTINGS non_replicated_deduplication_window = 1000
