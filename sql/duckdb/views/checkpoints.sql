-- One record a checkpoint of a model that is registered in the project, or not registered and named by a job of it.
-- model_id VARCHAR, id VARCHAR, step BIGINT, metrics JSON
SELECT
  CASE WHEN m.project_id = $project THEN c.model_id END AS model_id,
  CASE WHEN m.project_id = $project THEN c.id END AS id,
  CASE WHEN m.project_id = $project THEN c.step END AS step,
  CASE WHEN m.project_id = $project THEN c.metrics::JSON END AS metrics
FROM main.checkpoints AS c
JOIN (
  SELECT id, entity || '/' || project AS project_id FROM main.training_models
  UNION
  SELECT model_id, project_id FROM main.training_jobs
  WHERE model_id NOT IN (SELECT id FROM main.training_models)
) AS m ON m.id = c.model_id
WHERE m.project_id = $project
