WITH selected AS MATERIALIZED (SELECT row_key FROM trials WHERE evaluation_key IN (1, 2) GROUP BY row_key HAVING count(*) > 0)
    SELECT s.row_key, d.digest, (SELECT count(*) FROM selected) FROM (SELECT row_key, k.number FROM selected LEFT JOIN (SELECT row_key, fsum(number ORDER BY number) / count(number) AS number, NULL::VARCHAR AS text FROM (SELECT t.row_key, t.evaluation_key, list_transform([coalesce(CASE WHEN json_type(t.output, '/scores') = 'OBJECT'
    THEN json_extract(t.output, $1) END, json_extract(t.late_scores, $2))], lambda "j": json_number("j"))[1] AS number FROM trials AS t
    WHERE t.evaluation_key = 2) GROUP BY row_key) AS k USING (row_key)) AS s JOIN rows AS d ON d.row_key = s.row_key LEFT JOIN (SELECT row_key, number, CASE WHEN number IS NULL THEN text END AS text FROM (
    SELECT r.row_key, list_transform([json_extract(r.document, $3)], lambda "j": json_number("j"))[1] AS number, list_transform([json_extract(r.document, $4)], lambda "j": json_text("j"))[1] AS text FROM (SELECT row_key, digest, coalesce(val, inline_example) AS document FROM rows
      WHERE project_key = 1) AS r)) AS "k1" ON "k1".row_key = s.row_key LEFT JOIN (SELECT row_key, fsum(number ORDER BY number) / count(number) AS number,
    CASE WHEN count(number) = 0 THEN first(text ORDER BY (CASE v.evaluation_key WHEN 1 THEN 0 WHEN 2 THEN 1 END), v.started_at, v.id) FILTER (text IS NOT NULL) END AS text
    FROM (SELECT t.row_key, t.evaluation_key, t.started_at, t.id, list_transform([model_output(t.output, $5)], lambda "j": json_number("j"))[1] AS number, list_transform([model_output(t.output, $6)], lambda "j": json_text("j"))[1] AS text
      FROM trials AS t WHERE t.evaluation_key IN (1, 2)) AS v GROUP BY row_key) AS "k2" ON "k2".row_key = s.row_key
    ORDER BY s.number ASC NULLS LAST, "k1".number DESC NULLS LAST, "k1".text DESC NULLS LAST, "k2".number ASC NULLS LAST, "k2".text ASC NULLS LAST, d.digest;
-- $1 VARCHAR "/scores/mixed"
-- $2 VARCHAR "/mixed"
-- $3 VARCHAR "/q"
-- $4 VARCHAR "/q"
-- $5 VARCHAR "/text"
-- $6 VARCHAR "/text"
