SELECT t.trial_key FROM (SELECT t.* EXCLUDE (output), coalesce(split_part(t.output, (SELECT '"' || mark FROM text_mark), 1) || x.txt
      || substr(split_part(t.output, (SELECT '"' || mark FROM text_mark), 2), strpos(split_part(t.output, (SELECT '"' || mark FROM text_mark), 2), '"') + 1), t.output) AS output, x.txt AS model_text,
      ends_with(split_part(t.output, (SELECT '"' || mark FROM text_mark), 1), '"output":') AS is_output
    FROM trials AS t LEFT JOIN (SELECT text_key, string_agg(txt, '' ORDER BY piece) AS txt FROM (SELECT text_key, piece, txt FROM pieces WHERE text_key BETWEEN $1 AND $2) GROUP BY text_key) AS x ON x.text_key = TRY_CAST(split_part(split_part(t.output, (SELECT '"' || mark FROM text_mark), 2), ':', 4) AS BIGINT)
    WHERE t.trial_key IN (SELECT unnest('[1, 2]'::INTEGER[]))) AS t WHERE t.evaluation_key IN (1, 2) AND ((contains(t.model_text, $3) AND contains(t.model_text, $4))) AND t.trial_key IN (SELECT unnest('[1, 2]'::INTEGER[])) AND (list_transform([struct_pack("f0" := json_extract(t.model_text, $5))], lambda "fields": contains(json_text("fields"."f0"), $6))[1]);
-- $1 BIGINT 3
-- $2 BIGINT 4
-- $3 VARCHAR "xt"
-- $4 VARCHAR "text"
-- $5 VARCHAR "/a"
-- $6 VARCHAR "text"
