-- Which job a repeated request is: the first of those with one key. key_id: fingerprint of the credential, null for library users.
CREATE TABLE IF NOT EXISTS training_idempotency {cluster} (
  key_id Nullable(String),
  idempotency_key String,
  job_id String,
  request_hash String,
  batch UInt64 CODEC(NONE)
) ENGINE = {engine} ORDER BY (idempotency_key)
SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1, non_replicated_deduplication_window = 1000
