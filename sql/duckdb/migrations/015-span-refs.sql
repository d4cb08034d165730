-- The spans that the predict call of a trial names, or its own call (span_refs), and its own call alone (own_span_refs): JSON text of a
-- list of {"span_id", "trace_id"}. Trials of older formats have none until one of their calls is loaded again. DuckDB alters no table
-- with an index; opening the file makes it again.
DROP INDEX IF EXISTS trials_by_version_key;
ALTER TABLE trials ADD COLUMN IF NOT EXISTS span_refs VARCHAR;
ALTER TABLE trials ADD COLUMN IF NOT EXISTS own_span_refs VARCHAR;
