-- The rows in the order of their digests.
CREATE TABLE IF NOT EXISTS row_digests {cluster} (
  project_key UInt64 CODEC(LZ4),
  digest String,
  row_key UInt64 CODEC(NONE),
  load UInt64 CODEC(LZ4),
  INDEX loads load TYPE minmax GRANULARITY 64
) ENGINE = {engine} ORDER BY (project_key, digest)
SETTINGS non_replicated_deduplication_window = 1000
