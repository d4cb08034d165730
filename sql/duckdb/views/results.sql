-- One record a trial, with what its evaluation and its row are, and one column more for each score dimension of the project.
-- trial_id VARCHAR, evaluation_call_id VARCHAR, display_name VARCHAR (of the evaluation), model_ref VARCHAR,
-- row_digest VARCHAR, row_value JSON (the dataset row), predict_call_id VARCHAR, started_at TIMESTAMP WITH TIME ZONE,
-- model_latency_seconds DOUBLE, total_tokens DOUBLE, model_output JSON, details JSON (what else the trial brought),
-- attributes JSON (of the trial's call). The value of a row is made once, not for each trial.
SELECT
  CASE WHEN e.project_key = $project_key THEN t.id END AS trial_id,
  CASE WHEN e.project_key = $project_key THEN e.id END AS evaluation_call_id,
  CASE WHEN e.project_key = $project_key THEN e.display_name END AS display_name,
  CASE WHEN e.project_key = $project_key THEN e.model_ref END AS model_ref,
  r.digest AS row_digest,
  r.value AS row_value,
  CASE WHEN e.project_key = $project_key THEN t.predict_call_id END AS predict_call_id,
  CASE WHEN e.project_key = $project_key THEN make_timestamptz(t.started_at) END AS started_at,
  CASE WHEN e.project_key = $project_key THEN t.latency_seconds END AS model_latency_seconds,
  CASE WHEN e.project_key = $project_key THEN t.total_tokens END AS total_tokens,
  CASE WHEN e.project_key = $project_key THEN
    CASE WHEN t.model_output_bytes IS NOT NULL
      THEN decode(encode(t.output)[11:10 + t.model_output_bytes])::JSON
      ELSE list_filter([model_output(t.output, '')], lambda value: value <> 'null')[1] END
  END AS model_output,
  CASE WHEN e.project_key = $project_key THEN
    list_filter([json_extract(t.output::JSON, '/details')], lambda value: value <> 'null')[1] END AS details,
  CASE WHEN c.project_key = $project_key AND json_valid(c.record)
    THEN json_extract(c.record::JSON, '/attributes') END AS attributes
FROM main.trials AS t
JOIN main.evaluations AS e ON e.evaluation_key = t.evaluation_key
LEFT JOIN main.calls AS c ON c.call_key = t.trial_key AND c.project_key = $project_key
LEFT JOIN (
  SELECT
    row_key,
    CASE WHEN project_key = $project_key THEN digest END AS digest,
    CASE WHEN project_key = $project_key THEN coalesce(val, inline_example)::JSON END AS value
  FROM main.rows
  WHERE project_key = $project_key
) AS r ON r.row_key = t.row_key
WHERE e.project_key = $project_key AND NOT e.hidden
