SELECT true FROM trials AS t WHERE t.evaluation_key IN (1, 2) AND coalesce(json_type(coalesce(CASE WHEN json_type(t.output, '/scores') = 'OBJECT'
    THEN json_extract(t.output, $1) END, json_extract(t.late_scores, $2))) <> 'NULL', false) LIMIT 1;
-- $1 VARCHAR "/scores/a/0"
-- $2 VARCHAR "/a/0"
