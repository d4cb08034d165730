-- One record a table, or several equal ones: the digests of its rows, in order, as a JSON list.
CREATE TABLE IF NOT EXISTS row_tables {cluster} (
  project_id String CODEC(LZ4),
  digest String,
  created_at Int64,
  row_digests String CODEC(ZSTD(1)),
  batch UInt64 CODEC(NONE)
) ENGINE = {engine} ORDER BY (project_id, digest)
SETTINGS index_granularity = 256, enable_block_number_column = 1, enable_block_offset_column = 1, non_replicated_deduplication_window = 1000
