SELECT CAST(document AS VARCHAR) FROM (SELECT model_output(t.output, $1) AS document FROM (SELECT row_key, output, late_scores FROM trials
    WHERE evaluation_key IN (1, 2) ORDER BY started_at, id LIMIT 8) AS t)
    WHERE length(CAST(document AS VARCHAR)) <= 100000;
-- $1 VARCHAR ""
