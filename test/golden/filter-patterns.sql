WITH selected AS MATERIALIZED ((SELECT t.row_key FROM trials AS t LEFT JOIN (SELECT trial_key, kind, number, text FROM scores
    WHERE path_key = 3 AND evaluation_key IN (1, 2)) AS "s0"
    ON "s0".trial_key = t.trial_key JOIN (SELECT row_key, digest, coalesce(val, inline_example) AS document FROM rows
      WHERE project_key = 1) AS r ON r.row_key = t.row_key WHERE t.evaluation_key IN (1, 2) AND (list_transform([struct_pack("f0" := json_extract(r.document, $1))], lambda "fields": ((regexp_matches(CASE "s0".kind WHEN 2 THEN "s0".text
      WHEN 1 THEN CASE WHEN "s0".number = 1 THEN 'true' ELSE 'false' END
      ELSE coalesce("s0".text, number_text("s0".number)) END, $2)) OR (regexp_matches(json_text("fields"."f0"), $3, 'i'))))[1]) GROUP BY t.row_key))
    SELECT s.row_key, digest, (SELECT count(*) FROM selected) FROM (FROM selected UNION ALL SELECT -1) AS s JOIN rows AS d ON d.row_key = s.row_key ORDER BY d.digest;
-- $1 VARCHAR "/q"
-- $2 VARCHAR "^[0-9]+$"
-- $3 VARCHAR "It's"
