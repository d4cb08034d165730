-- The spans that the predict call of a trial names, or its own call: JSON text of a list of {"span_id", "trace_id"}.
ALTER TABLE trial_texts {cluster} ADD COLUMN IF NOT EXISTS span_refs Nullable(String) CODEC(ZSTD(1))
