-- One record a score leaf of a trial, late scores too.
-- trial_id VARCHAR, evaluation_call_id VARCHAR, row_digest VARCHAR, scorer_key VARCHAR,
-- path VARCHAR (names below the scorer joined by dots; null at its root),
-- value_type VARCHAR (continuous, binary or text: of this value), numeric_value DOUBLE, boolean_value BOOLEAN,
-- text_value VARCHAR. What p gives depends on p alone, so that a condition on it is met before the scores are read.
SELECT
  CASE WHEN e.project_key = $project_key THEN t.id END AS trial_id,
  CASE WHEN e.project_key = $project_key THEN e.id END AS evaluation_call_id,
  CASE WHEN e.project_key = $project_key THEN r.digest END AS row_digest,
  p.scorer_key,
  p.path,
  CASE WHEN e.project_key = $project_key
    THEN CASE s.kind WHEN 0 THEN 'continuous' WHEN 1 THEN 'binary' ELSE 'text' END END AS value_type,
  CASE WHEN e.project_key = $project_key AND s.kind = 0 THEN s.number END AS numeric_value,
  CASE WHEN e.project_key = $project_key AND s.kind = 1 THEN s.number = 1 END AS boolean_value,
  CASE WHEN e.project_key = $project_key AND s.kind = 2 THEN s.text END AS text_value
FROM main.scores AS s
JOIN main.evaluations AS e ON e.evaluation_key = s.evaluation_key
JOIN (
  SELECT
    path_key,
    CASE WHEN project_key = $project_key THEN names[1] END AS scorer_key,
    CASE WHEN project_key = $project_key AND len(names) > 1 THEN array_to_string(names[2:], '.') END AS path
  FROM (
    SELECT path_key, project_key, from_json(path, '["VARCHAR"]') AS names
    FROM main.score_paths WHERE project_key = $project_key
  )
) AS p ON p.path_key = s.path_key
LEFT JOIN main.trials AS t ON t.trial_key = s.trial_key
LEFT JOIN main.rows AS r ON r.row_key = s.row_key
WHERE e.project_key = $project_key AND NOT e.hidden
