SELECT row_key, document FROM (SELECT d.row_key, d.digest, coalesce(x.txt, d.document) AS document
    FROM (SELECT row_key, digest, coalesce(val, inline_example) AS document FROM rows
      WHERE project_key = 1) AS d LEFT JOIN (SELECT text_key, string_agg(txt, '' ORDER BY piece) AS txt FROM (SELECT text_key, piece, txt FROM pieces WHERE text_key BETWEEN $1 AND $2) GROUP BY text_key) AS x ON x.text_key = TRY_CAST(split_part(split_part(d.document, (SELECT '"' || mark FROM text_mark), 2), ':', 4) AS BIGINT)) WHERE row_key IN (SELECT row_key FROM trials WHERE trial_key IN (SELECT unnest('[1, 2]'::INTEGER[])));
-- $1 BIGINT 3
-- $2 BIGINT 4
