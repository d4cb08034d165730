-- The key of a project is the hash of its id and an empty identity.
CREATE TABLE IF NOT EXISTS projects {cluster} (
  project_key UInt64 CODEC(LZ4),
  project_id String,
  load UInt64 CODEC(LZ4),
  INDEX loads load TYPE minmax GRANULARITY 64
) ENGINE = {engine} ORDER BY (project_key, load)
SETTINGS non_replicated_deduplication_window = 1000
