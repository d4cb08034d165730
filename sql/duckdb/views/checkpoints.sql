-- One record a checkpoint of a model of the project.
-- model_id VARCHAR, id VARCHAR, step BIGINT, metrics JSON
SELECT
  CASE WHEN m.entity || '/' || m.project = $project THEN c.model_id END AS model_id,
  CASE WHEN m.entity || '/' || m.project = $project THEN c.id END AS id,
  CASE WHEN m.entity || '/' || m.project = $project THEN c.step END AS step,
  CASE WHEN m.entity || '/' || m.project = $project THEN c.metrics::JSON END AS metrics
FROM main.checkpoints AS c
JOIN main.training_models AS m ON m.id = c.model_id
WHERE m.entity || '/' || m.project = $project
