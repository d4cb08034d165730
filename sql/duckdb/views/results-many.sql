-- How `results` reads many dimensions: all from one pass over the scores. One column for each type of a dimension.
SELECT CASE WHEN e.project_key = $project_key THEN s.value END AS value
FROM main.trials AS t
LEFT JOIN (
  SELECT
    s.trial_key,
    any_value(s.number) FILTER (WHERE s.path_key = $path_key AND s.kind = 0) AS double,
    any_value(s.number = 1) FILTER (WHERE s.path_key = $path_key AND s.kind = 1) AS boolean,
    any_value(s.text) FILTER (WHERE s.path_key = $path_key AND s.kind = 2) AS text
  FROM main.scores AS s
  GROUP BY s.trial_key
) AS s ON s.trial_key = t.trial_key
