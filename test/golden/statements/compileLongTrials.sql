SELECT t.trial_key, t.row_key, TRY_CAST(split_part(split_part(t.output, (SELECT '"' || mark FROM text_mark), 2), ':', 4) AS BIGINT), ends_with(split_part(t.output, (SELECT '"' || mark FROM text_mark), 1), '"output":'), NULL::BIGINT, t.text_bytes, NULL::BIGINT FROM trials AS t WHERE t.evaluation_key IN (1, 2) AND CASE WHEN (t.text_bytes IS NOT NULL) THEN true ELSE list_transform([struct_pack("f0" := model_output(t.output, $1))], lambda "fields": contains(json_text("fields"."f0"), $2))[1] END AND (t.text_bytes IS NOT NULL);
-- $1 VARCHAR "/a"
-- $2 VARCHAR "text"
