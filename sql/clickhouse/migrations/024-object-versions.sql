-- One record each time that a version of an object was published while another was the latest. The first of a version says what it is, the
-- others have a project, an object and a digest alone. The order of the first ones numbers the versions, that of all says which is the latest.
-- created_at counts microseconds since 1970. val: JSON, with every number as it was sent.
CREATE TABLE IF NOT EXISTS object_versions {cluster} (
  project_id String CODEC(LZ4),
  object_id String,
  digest String,
  created_at Int64,
  kind String,
  base_object_class Nullable(String),
  leaf_object_class Nullable(String),
  user_id Nullable(String),
  val String CODEC(ZSTD(1)),
  batch UInt64 CODEC(NONE)
) ENGINE = {engine} ORDER BY (project_id, object_id, digest)
SETTINGS index_granularity = 256, enable_block_number_column = 1, enable_block_offset_column = 1, non_replicated_deduplication_window = 1000
