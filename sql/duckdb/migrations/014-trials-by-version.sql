-- A key of its own for each record of trials, by which an index finds it (src/engine/duckdb/file/trial-index.ts). A trial that changes
-- is stored anew, under another key. Keys are dense, which keeps the index small. Only statements that name them use the index.
ALTER TABLE trials ADD COLUMN IF NOT EXISTS version_key BIGINT;
UPDATE trials SET version_key = rowid + 1;
