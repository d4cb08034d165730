-- One record an evaluation.
-- evaluation_call_id VARCHAR, display_name VARCHAR, evaluation_ref VARCHAR, model_ref VARCHAR, dataset_ref VARCHAR, trace_id VARCHAR,
-- started_at TIMESTAMP WITH TIME ZONE (null while the root call is not stored), ended_at TIMESTAMP WITH TIME ZONE,
-- exception VARCHAR, status VARCHAR (finished, failed, cancelled or running), last_trial_at TIMESTAMP WITH TIME ZONE (start of the trial
-- that started last), trial_count BIGINT, attributes JSON (of the root call)
SELECT
  CASE WHEN e.project_key = $project_key THEN e.id END AS evaluation_call_id,
  CASE WHEN e.project_key = $project_key THEN e.display_name END AS display_name,
  CASE WHEN e.project_key = $project_key THEN e.evaluation_ref END AS evaluation_ref,
  CASE WHEN e.project_key = $project_key THEN e.model_ref END AS model_ref,
  CASE WHEN e.project_key = $project_key THEN coalesce(e.dataset_ref, replace(t.dataset, '/attr/rows/id/', '')) END AS dataset_ref,
  CASE WHEN e.project_key = $project_key THEN e.trace_id END AS trace_id,
  CASE WHEN e.project_key = $project_key THEN make_timestamptz(e.started_at) END AS started_at,
  CASE WHEN e.project_key = $project_key THEN make_timestamptz(e.ended_at) END AS ended_at,
  CASE WHEN e.project_key = $project_key THEN e.exception END AS exception,
  CASE WHEN e.project_key = $project_key
    THEN CASE WHEN e.exception = 'Cancelled' THEN 'cancelled' WHEN e.exception IS NOT NULL THEN 'failed'
      WHEN e.ended_at IS NOT NULL THEN 'finished' ELSE 'running' END
    END AS status,
  CASE WHEN e.project_key = $project_key THEN make_timestamptz(t.last) END AS last_trial_at,
  CASE WHEN e.project_key = $project_key THEN coalesce(t.n, 0) END AS trial_count,
  CASE WHEN c.project_key = $project_key AND NOT c.hidden AND json_valid(c.record)
    THEN json_extract(c.record::JSON, '/attributes') END AS attributes
FROM main.evaluations AS e
LEFT JOIN (
  SELECT evaluation_key, count(*) AS n, max(started_at) AS last, min(reference_prefix) AS dataset
  FROM main.trials GROUP BY evaluation_key
) AS t
  ON t.evaluation_key = e.evaluation_key
LEFT JOIN main.calls AS c
  ON c.project_key = $project_key AND NOT c.hidden
    AND c.id_hash = md5_number_lower(concat(e.project_key, ':', e.id)) AND c.id = e.id
WHERE e.project_key = $project_key AND NOT e.hidden AND (e.has_root OR t.n > 0)
