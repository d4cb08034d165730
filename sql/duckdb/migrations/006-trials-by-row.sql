-- A page asks for the trials of its rows.
DROP INDEX IF EXISTS trials_by_key;
CREATE INDEX IF NOT EXISTS trials_by_row ON trials (row_key);
