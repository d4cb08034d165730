-- What a load says of a dataset row. Of several records of a row: `value` (JSON) is that of the latest that has one, inline_example (the row as
-- an inline trial spelled it) that of the first that has one, by (load, position); the two marks hold where any has them. value_doc and
-- inline_doc: see output_doc. referenced: some trial refers to the row. respelled: some inline trial spells it otherwise.
CREATE TABLE IF NOT EXISTS rows {cluster} (
  project_key UInt64 CODEC(LZ4),
  row_key UInt64 CODEC(NONE),
  load UInt64 CODEC(LZ4),
  position UInt32,
  digest String CODEC(ZSTD(1)),
  value Nullable(String) CODEC(ZSTD(1)),
  value_doc Nullable(String) CODEC(ZSTD(1)),
  inline_example Nullable(String) CODEC(ZSTD(1)),
  inline_doc Nullable(String) CODEC(ZSTD(1)),
  referenced Bool,
  respelled Bool,
  INDEX loads load TYPE minmax GRANULARITY 64
) ENGINE = {engine} ORDER BY (project_key, row_key, load, position)
SETTINGS index_granularity = 256, non_replicated_deduplication_window = 1000
