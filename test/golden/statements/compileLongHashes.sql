SELECT trial_key, concat_ws(',', coalesce(hash(nullif(encode(text)[1:32], ''::BLOB)), 0), coalesce(hash(nullif(encode(text)[33:64], ''::BLOB)), 0)) FROM (SELECT trial_key, row_key, CASE WHEN NOT (starts_with(value, '{') OR starts_with(value, '[')) THEN list_transform([value], lambda "j": json_number("j"))[1] END AS number,
      CASE WHEN NOT (starts_with(value, '{') OR starts_with(value, '[')) THEN list_transform([value], lambda "j": json_text("j"))[1] ELSE CAST(value AS VARCHAR) END AS text FROM (SELECT t.trial_key, t.row_key, json_extract(t.model_text, $1) AS value FROM (SELECT t.* EXCLUDE (output), coalesce(split_part(t.output, (SELECT '"' || mark FROM text_mark), 1) || x.txt
      || substr(split_part(t.output, (SELECT '"' || mark FROM text_mark), 2), strpos(split_part(t.output, (SELECT '"' || mark FROM text_mark), 2), '"') + 1), t.output) AS output, x.txt AS model_text,
      ends_with(split_part(t.output, (SELECT '"' || mark FROM text_mark), 1), '"output":') AS is_output
    FROM trials AS t LEFT JOIN (SELECT text_key, string_agg(txt, '' ORDER BY piece) AS txt FROM (SELECT text_key, piece, txt FROM pieces WHERE text_key BETWEEN $2 AND $3) GROUP BY text_key) AS x ON x.text_key = TRY_CAST(split_part(split_part(t.output, (SELECT '"' || mark FROM text_mark), 2), ':', 4) AS BIGINT)
    WHERE t.trial_key IN (SELECT unnest('[1, 2]'::INTEGER[]))) AS t
      WHERE t.trial_key IN (SELECT unnest('[1, 2]'::INTEGER[]))));
-- $1 VARCHAR "/a"
-- $2 BIGINT 3
-- $3 BIGINT 4
