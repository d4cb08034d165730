WITH selected AS MATERIALIZED (((SELECT t.row_key FROM trials AS t LEFT JOIN (SELECT trial_key, kind, number, text FROM scores
    WHERE path_key = 2 AND evaluation_key = 1) AS "s0"
    ON "s0".trial_key = t.trial_key WHERE t.evaluation_key = 1 GROUP BY t.row_key HAVING bool_and(coalesce((CASE WHEN "s0".kind = 2 THEN
      CASE "s0".text WHEN 'true' THEN true WHEN 'false' THEN false END
      ELSE CASE "s0".number WHEN 1 THEN true WHEN 0 THEN false END END = $1), false)))) UNION ((SELECT t.row_key FROM trials AS t LEFT JOIN (SELECT trial_key, kind, number, text FROM scores
    WHERE path_key = 1 AND evaluation_key = 2) AS "s0"
    ON "s0".trial_key = t.trial_key WHERE t.evaluation_key = 2 GROUP BY t.row_key
        HAVING first(coalesce(list_transform([struct_pack("f0" := coalesce(CASE WHEN json_type(t.output, '/scores') = 'OBJECT'
    THEN json_extract(t.output, $2) END, json_extract(t.late_scores, $3)))], lambda "fields": list_transform([struct_pack("f0_number" := json_number("fields"."f0"))], lambda "readings": (CASE WHEN "s0".number IS NOT NULL AND "readings"."f0_number" IS NOT NULL
    THEN "s0".number < "readings"."f0_number" ELSE CASE "s0".kind WHEN 2 THEN "s0".text
      WHEN 1 THEN CASE WHEN "s0".number = 1 THEN 'true' ELSE 'false' END
      ELSE coalesce("s0".text, number_text("s0".number)) END < json_text("fields"."f0") END))[1])[1], false) ORDER BY (CASE t.evaluation_key WHEN 1 THEN 0 WHEN 2 THEN 1 END), t.started_at, t.id))) UNION ((SELECT m.row_key FROM (SELECT row_key, nearest_double(sum(CAST(trunc("m0" * 9.007199254740992e+15::DOUBLE) AS BIGINT))::HUGEINT * 33554432 * 33554432
        + sum(CAST(("m0" * 9.007199254740992e+15::DOUBLE - trunc("m0" * 9.007199254740992e+15::DOUBLE)) * 1.125899906842624e+15::DOUBLE AS BIGINT))::HUGEINT)
        / 1.125899906842624e+15::DOUBLE / 9.007199254740992e+15::DOUBLE / count("m0") AS "m0" FROM (SELECT t.row_key, "s0".number AS "m0" FROM trials AS t LEFT JOIN (SELECT trial_key, kind, number, text FROM scores
    WHERE path_key = 1 AND evaluation_key IN (1, 2)) AS "s0"
    ON "s0".trial_key = t.trial_key WHERE t.evaluation_key IN (1, 2))
    GROUP BY row_key) AS m WHERE (m."m0" >= $4))))
    SELECT s.row_key, digest, (SELECT count(*) FROM selected) FROM (FROM selected UNION ALL SELECT -1) AS s JOIN rows AS d ON d.row_key = s.row_key ORDER BY d.digest;
-- $1 BOOLEAN true
-- $2 VARCHAR "/scores/mixed"
-- $3 VARCHAR "/mixed"
-- $4 DOUBLE 0.75
