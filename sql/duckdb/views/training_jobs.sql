-- One record a training job.
-- id VARCHAR, model_id VARCHAR, created_at TIMESTAMP WITH TIME ZONE, user_id VARCHAR, request JSON (as it was sent)
SELECT
  CASE WHEN j.project_id = $project THEN j.id END AS id,
  CASE WHEN j.project_id = $project THEN j.model_id END AS model_id,
  CASE WHEN j.project_id = $project THEN make_timestamptz(j.created_at) END AS created_at,
  CASE WHEN j.project_id = $project THEN j.user_id END AS user_id,
  CASE WHEN j.project_id = $project THEN j.request::JSON END AS request
FROM main.training_jobs AS j
WHERE j.project_id = $project
