-- Every place in the scores of a project, with what a load found there: merged by max (and min of min_exponent and low_bit) when read.
-- path: a JSON array of member names, the scorer key first; path_key is its hash. position: its place among those that its load knew, in the
-- order in which they were met. Binary exponents of the non-zero numbers: of the largest, of the smallest, of the lowest bit set.
CREATE TABLE IF NOT EXISTS score_paths {cluster} (
  project_key UInt64 CODEC(LZ4),
  path_key UInt64 CODEC(NONE),
  load UInt64 CODEC(LZ4),
  position UInt32,
  path String,
  leaf Bool,
  container Bool,
  list Bool,
  max_exponent Nullable(Int32),
  min_exponent Nullable(Int32),
  low_bit Nullable(Int32),
  INDEX loads load TYPE minmax GRANULARITY 64
) ENGINE = {engine} ORDER BY (project_key, path_key, load)
SETTINGS non_replicated_deduplication_window = 1000
