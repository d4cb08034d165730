-- A key of each record of trials, by which an index finds it (src/engine/duckdb/file/trial-index.ts): a trial that changes gets a new
-- record. Keys are dense to keep the index small; no statement but those that name them is answered by the index.
ALTER TABLE trials ADD COLUMN IF NOT EXISTS version_key BIGINT;
UPDATE trials SET version_key = rowid + 1;
