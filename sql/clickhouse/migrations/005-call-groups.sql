-- In which groups of `fragments` a call has records.
CREATE TABLE IF NOT EXISTS call_groups {cluster} (
  project_key UInt64 CODEC(LZ4),
  call_key UInt64 CODEC(NONE),
  group_key UInt64 CODEC(NONE),
  load UInt64 CODEC(LZ4),
  INDEX loads load TYPE minmax GRANULARITY 64
) ENGINE = {engine} ORDER BY (project_key, call_key, load)
SETTINGS non_replicated_deduplication_window = 1000
