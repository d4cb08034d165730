-- One record a JSON null in the scores of a version of a trial. late: from a score call, not the trial.
CREATE TABLE IF NOT EXISTS null_scores {cluster} (
  project_key UInt64 CODEC(LZ4),
  evaluation_key UInt64 CODEC(LZ4),
  path_key UInt64 CODEC(LZ4),
  row_key UInt64 CODEC(NONE),
  trial_key UInt64 CODEC(NONE),
  load UInt64 CODEC(LZ4),
  late Bool,
  INDEX loads load TYPE minmax GRANULARITY 64
) ENGINE = {engine} ORDER BY (project_key, evaluation_key, path_key, row_key, trial_key)
SETTINGS non_replicated_deduplication_window = 1000
