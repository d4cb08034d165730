-- What all records of a call make together, where they are several: written by the load that adds one, and anew where two writers met. The
-- record of the greatest (load, position) counts. group_key: one in which the call has records. record_doc: see output_doc of trial_texts.
CREATE TABLE IF NOT EXISTS merged_calls {cluster} (
  project_key UInt64 CODEC(LZ4),
  group_key UInt64 CODEC(LZ4),
  call_key UInt64 CODEC(NONE),
  load UInt64 CODEC(LZ4),
  position UInt32 CODEC(LZ4),
  record String CODEC(ZSTD(1)),
  record_doc Nullable(String) CODEC(ZSTD(1)),
  INDEX loads load TYPE minmax GRANULARITY 64
) ENGINE = {engine} ORDER BY (project_key, group_key, call_key, load, position)
SETTINGS index_granularity = 256, non_replicated_deduplication_window = 1000
