SELECT coalesce(bool_or(coalesce(json_type(model_output(t.output, $1)) <> 'NULL', false)), false) FROM (SELECT row_key, output, late_scores FROM trials
    WHERE evaluation_key IN (1, 2) LIMIT 8) AS t;
-- $1 VARCHAR "/a"
