-- One record a dataset row: those that trials refer to or hold, and those that were loaded.
-- row_digest VARCHAR, value JSON (the stored row, else the first inline example; null for a reference that is not stored)
SELECT
  CASE WHEN r.project_key = $project_key THEN r.digest END AS row_digest,
  CASE WHEN r.project_key = $project_key THEN coalesce(r.val, r.inline_example)::JSON END AS value
FROM main.rows AS r
WHERE r.project_key = $project_key AND (r.referenced OR r.val IS NOT NULL OR r.inline_example IS NOT NULL)
