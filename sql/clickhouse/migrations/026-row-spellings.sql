-- Rows of tables whose numbers were sent in another spelling than that of rows.value, such as 1.0. There may be several equal records.
CREATE TABLE IF NOT EXISTS row_spellings {cluster} (
  project_id String CODEC(LZ4),
  digest String,
  val String CODEC(ZSTD(1)),
  batch UInt64 CODEC(NONE)
) ENGINE = {engine} ORDER BY (project_id, digest)
SETTINGS index_granularity = 256, enable_block_number_column = 1, enable_block_offset_column = 1, non_replicated_deduplication_window = 1000
