-- Feedback as it was sent. An id is that of one record of its project. Of several records of one identity the one that was stored first counts: _block_number and _block_offset say which.
-- created_at counts microseconds since 1970. content: JSON of every member that was sent, payload included, without nulls and without the id;
-- content_doc: see trial_texts.output_doc. batch: a number for what one writer inserted at once, here and in the tables that follow.
CREATE TABLE IF NOT EXISTS feedback {cluster} (
  project_id String CODEC(LZ4),
  id String CODEC(ZSTD(1)),
  created_at Int64,
  svc_user_id String CODEC(ZSTD(1)),
  svc_ref String CODEC(ZSTD(1)),
  feedback_type String CODEC(LZ4),
  content String CODEC(ZSTD(1)),
  content_doc Nullable(String) CODEC(ZSTD(1)),
  batch UInt64 CODEC(NONE)
) ENGINE = {engine} ORDER BY (project_id, id)
SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1, non_replicated_deduplication_window = 1000
