-- A trial that changes gets a new record, and its older ones are dead: nothing is deleted from trial_versions, which has an index
-- (src/engine/duckdb/file/trial-index.ts). dead: 0 or 1. It is a number because DuckDB leaves out a comparison with a number where
-- the least and the greatest one of a row group answer it; a condition that is a BOOLEAN is looked at for each record.
-- version_key is for the index, and dense to keep it small: no statement but those that name it is answered by the index.
CREATE SEQUENCE trial_version_keys;

ALTER TABLE trials RENAME TO trial_versions;
ALTER TABLE trial_versions ADD COLUMN dead UTINYINT;
ALTER TABLE trial_versions ALTER COLUMN dead SET DATA TYPE UTINYINT USING 0;
ALTER TABLE trial_versions ADD COLUMN version_key INTEGER;
UPDATE trial_versions SET version_key = nextval('trial_version_keys');

CREATE VIEW trials AS SELECT * EXCLUDE (dead, version_key) FROM trial_versions WHERE dead = 0;
