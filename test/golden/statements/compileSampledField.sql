SELECT coalesce(bool_or(CASE WHEN (contains(t.output, $1) OR contains(t.output, $2)) THEN coalesce(json_type(model_output(t.output, $3)) <> 'NULL', false) ELSE false END), false) FROM (SELECT row_key, output, late_scores FROM trials
    WHERE evaluation_key IN (1, 2) LIMIT 8) AS t;
-- $1 VARCHAR "a"
-- $2 VARCHAR "\\u"
-- $3 VARCHAR "/a"
