WITH selected AS MATERIALIZED ((SELECT t.row_key FROM trials AS t JOIN (SELECT row_key, digest, coalesce(val, inline_example) AS document FROM rows
      WHERE project_key = 1) AS r ON r.row_key = t.row_key WHERE t.evaluation_key IN (1, 2) AND (contains(lower(r.document), lower($1))) AND ((contains(t.output, $2) AND contains(t.output, $3)) OR (contains(t.output, $4) AND contains(t.output, $5))) AND (list_transform([struct_pack("f0" := json_extract(r.document, $6), "f1" := json_extract(t.output, $7))], lambda "fields": ((contains(lower(json_text("fields"."f0")), lower($8))) AND (((r.digest IN ($9, $10)))) AND (contains(json_text("fields"."f1"), $11)) AND ((NOT ((NOT coalesce(json_type("fields"."f1") <> 'NULL', false)))))))[1]) GROUP BY t.row_key))
    SELECT s.row_key, digest, (SELECT count(*) FROM selected) FROM (FROM selected UNION ALL SELECT -1) AS s JOIN rows AS d ON d.row_key = s.row_key ORDER BY d.digest;
-- $1 VARCHAR "It's"
-- $2 VARCHAR "ze\""
-- $3 VARCHAR "their \"maze\""
-- $4 VARCHAR "\\\"maze\\\""
-- $5 VARCHAR "their \\\"maze\\\""
-- $6 VARCHAR "/q"
-- $7 VARCHAR "/output/text"
-- $8 VARCHAR "It's"
-- $9 VARCHAR "a"
-- $10 VARCHAR "b"
-- $11 VARCHAR "their \"maze\""
