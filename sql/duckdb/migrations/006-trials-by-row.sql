-- A page asks for the trials of its rows.
DROP INDEX trials_by_key;
CREATE INDEX trials_by_row ON trials (row_key);
