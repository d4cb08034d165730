-- Each record of a call as it was sent. group_key: the trial that the call belongs to, itself or its parent, as far as the record says; where
-- it names no parent, as far as the call was known by then.
-- parent_key: the parent that the record names, 0 for none. part: 0 a record of a load that takes no parts, 1 start, 2 end, 3 whole, 4 name.
-- position: its place in its load. record_doc: see output_doc of trial_texts.
CREATE TABLE IF NOT EXISTS fragments {cluster} (
  project_key UInt64 CODEC(LZ4),
  group_key UInt64 CODEC(LZ4),
  call_key UInt64 CODEC(NONE),
  load UInt64 CODEC(LZ4),
  position UInt32,
  parent_key UInt64,
  part UInt8,
  name_rank UInt8,
  record String CODEC(ZSTD(1)),
  record_doc Nullable(String) CODEC(ZSTD(1)),
  INDEX loads load TYPE minmax GRANULARITY 64
) ENGINE = {engine} ORDER BY (project_key, group_key, call_key, load, position)
SETTINGS index_granularity = 256, non_replicated_deduplication_window = 1000
