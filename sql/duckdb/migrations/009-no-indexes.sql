-- Replaying a log on a table with an index loses deletes and updates (docs/duckdb-reports.md), so no table has one:
-- keys are stored in order, and DuckDB skips by their minima and maxima.
DROP INDEX IF EXISTS calls_by_key;
DROP INDEX IF EXISTS rows_by_key;
DROP INDEX IF EXISTS trials_by_key;
DROP INDEX IF EXISTS trials_by_row;
DROP INDEX IF EXISTS feedback_by_id;
DROP INDEX IF EXISTS training_jobs_by_id;
DROP INDEX IF EXISTS checkpoints_by_model;

-- What came back by a lost delete goes again. A record that was written later has the larger rowid.
DELETE FROM calls USING (
  SELECT call_key, max(rowid) AS newest FROM calls GROUP BY call_key HAVING count(*) > 1) AS d
  WHERE calls.call_key = d.call_key AND calls.rowid < d.newest;
DELETE FROM rows USING (
  SELECT row_key, max(rowid) AS newest FROM rows GROUP BY row_key HAVING count(*) > 1) AS d
  WHERE rows.row_key = d.row_key AND rows.rowid < d.newest;
DELETE FROM trials USING (
  SELECT trial_key, max(rowid) AS newest FROM trials GROUP BY trial_key HAVING count(*) > 1) AS d
  WHERE trials.trial_key = d.trial_key AND trials.rowid < d.newest;
DELETE FROM trials WHERE trial_key IN (SELECT call_key FROM calls WHERE hidden);
