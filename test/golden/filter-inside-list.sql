WITH selected AS MATERIALIZED ((SELECT t.row_key FROM trials AS t WHERE t.evaluation_key IN (1, 2) AND (list_transform([struct_pack("f0" := coalesce(CASE WHEN json_type(t.output, '/scores') = 'OBJECT'
    THEN json_extract(t.output, $1) END, json_extract(t.late_scores, $2)))], lambda "fields": (json_text("fields"."f0") = $3))[1]) GROUP BY t.row_key))
    SELECT s.row_key, digest, (SELECT count(*) FROM selected) FROM (FROM selected UNION ALL SELECT -1) AS s JOIN rows AS d ON d.row_key = s.row_key ORDER BY d.digest;
-- $1 VARCHAR "/scores/list/0"
-- $2 VARCHAR "/list/0"
-- $3 VARCHAR "x"
