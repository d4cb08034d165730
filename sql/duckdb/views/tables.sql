-- One record a table that an SDK of W&B Weave stored; its rows are in the view rows.
-- digest VARCHAR, created_at TIMESTAMP WITH TIME ZONE, row_count BIGINT, row_digests JSON (a list in the order of the table)
SELECT
  CASE WHEN t.project_id = $project THEN t.digest END AS digest,
  CASE WHEN t.project_id = $project THEN make_timestamptz(t.created_at) END AS created_at,
  CASE WHEN t.project_id = $project THEN len(t.row_digests) END AS row_count,
  CASE WHEN t.project_id = $project THEN to_json(t.row_digests) END AS row_digests
FROM main.row_tables AS t
WHERE t.project_id = $project
