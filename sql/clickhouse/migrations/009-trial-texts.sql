-- One record a version of a trial with all that it has: what `trials` has stands here again, since a join with it takes longer than to read
-- the texts. output: the whole output object of its call (compact JSON), null where it is none. output_doc: the same as
-- ClickHouse can read it: numbers that it would refuse, or spell otherwise than DuckDB, are strings behind U+E000, and a string or name that
-- begins with that has another one before it; null where that changes nothing. The other columns _doc likewise. reference_prefix: what
-- stands before the digest in a dataset-row reference; null on an inline trial. example: the inline example where it is not spelled as the
-- row's inline_example.
CREATE TABLE IF NOT EXISTS trial_texts {cluster} (
  project_key UInt64 CODEC(LZ4),
  evaluation_key UInt64 CODEC(LZ4),
  row_key UInt64 CODEC(NONE),
  trial_key UInt64 CODEC(NONE),
  load UInt64 CODEC(LZ4),
  started_at Int64 CODEC(NONE),
  first_load UInt64 CODEC(LZ4),
  first_position UInt32,
  latency_seconds Nullable(Float64),
  total_tokens Nullable(Float64),
  own_latency_seconds Nullable(Float64),
  own_total_tokens Nullable(Float64),
  id String CODEC(ZSTD(1)),
  predict_call_id Nullable(String) CODEC(ZSTD(1)),
  scorer_call_ids Nullable(String) CODEC(ZSTD(1)),
  output Nullable(String) CODEC(ZSTD(1)),
  output_doc Nullable(String) CODEC(ZSTD(1)),
  late_scores Nullable(String) CODEC(ZSTD(1)),
  late_scores_doc Nullable(String) CODEC(ZSTD(1)),
  reference_prefix Nullable(String) CODEC(ZSTD(1)),
  example Nullable(String) CODEC(ZSTD(1)),
  example_doc Nullable(String) CODEC(ZSTD(1)),
  INDEX loads load TYPE minmax GRANULARITY 64
) ENGINE = {engine} ORDER BY (project_key, evaluation_key, row_key, trial_key)
SETTINGS index_granularity = 64, min_compress_block_size = 8192, non_replicated_deduplication_window = 1000
