SELECT true FROM (SELECT row_key, digest, coalesce(val, inline_example) AS document FROM rows
      WHERE project_key = 1) AS r WHERE r.row_key IN (SELECT t.row_key FROM trials AS t WHERE t.evaluation_key IN (1, 2)) AND CASE WHEN (contains(r.document, $1) OR contains(r.document, $2)) THEN coalesce(json_type(json_extract(r.document, $3)) <> 'NULL', false) ELSE false END LIMIT 1;
-- $1 VARCHAR "q"
-- $2 VARCHAR "\\u"
-- $3 VARCHAR "/q"
