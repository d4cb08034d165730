-- The same of its own call alone.
ALTER TABLE trial_texts {cluster} ADD COLUMN IF NOT EXISTS own_span_refs Nullable(String) CODEC(ZSTD(1))
