-- How `results` reads a few dimensions: each from the scores at its path, which are those of one project. One column for each type
-- of a dimension. A condition on a column leaves out the trials without a score, which DuckDB sees by the columns of s alone.
SELECT
  CASE WHEN s.path_key = $path_key AND s.kind = 0 THEN s.number END AS double,
  CASE WHEN s.path_key = $path_key AND s.kind = 1 THEN s.number = 1 END AS boolean,
  CASE WHEN s.path_key = $path_key AND s.kind = 2 THEN s.text END AS text
FROM main.trials AS t
LEFT JOIN main.scores AS s ON s.trial_key = t.trial_key AND s.path_key = $path_key
