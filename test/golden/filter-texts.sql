WITH selected AS MATERIALIZED ((SELECT t.row_key FROM trials AS t JOIN (SELECT row_key, digest, coalesce(val, inline_example) AS document FROM rows
      WHERE project_key = 1) AS r ON r.row_key = t.row_key WHERE t.evaluation_key IN (1, 2) AND (contains(lower(r.document), lower($1))) AND (((contains(lower(json_text(json_extract(r.document, $2))), lower($3))) AND (((r.digest IN ($4, $5)))) AND ((NOT ((NOT coalesce(json_type(json_extract(t.output, $6)) <> 'NULL', false))))))) GROUP BY t.row_key HAVING count(*) > 0))
    SELECT s.row_key, d.digest, (SELECT count(*) FROM selected) FROM selected AS s
    JOIN rows AS d ON d.row_key = s.row_key
    ORDER BY d.digest;
-- $1 VARCHAR "It's"
-- $2 VARCHAR "/q"
-- $3 VARCHAR "It's"
-- $4 VARCHAR "a"
-- $5 VARCHAR "b"
-- $6 VARCHAR "/output/text"
