WITH selected AS MATERIALIZED ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)), sliced_rows AS MATERIALIZED (SELECT row_key FROM (SELECT row_key FROM trials JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key) WHERE evaluation_key = 2 AND row_key IN (SELECT row_key FROM trials WHERE evaluation_key = 1)) GROUP BY row_key), slice_values AS MATERIALIZED (SELECT f0.row_key AS row_key, "v0", "v1" FROM (SELECT row_key, "v0" FROM (SELECT row_key, CASE type WHEN 'VARCHAR' THEN 't' WHEN 'BOOLEAN' THEN 'b' ELSE 'n' END || CASE WHEN type IN ('VARCHAR', 'BOOLEAN') THEN json_text(item)
      WHEN type IN ('NULL', 'OBJECT', 'ARRAY') THEN NULL ELSE number_text(json_number(item)) END AS "v0" FROM (SELECT row_key, item, json_type(item) AS type FROM (SELECT row_key, unnest(CASE WHEN json_type(json) = 'ARRAY' THEN json_extract(json, '$[*]') ELSE [json] END) AS item FROM (SELECT row_key, json_extract(document, $2) AS json FROM (SELECT row_key, digest, coalesce(val, inline_example) AS document FROM rows
      WHERE project_key = 1) AS r
      WHERE row_key IN (SELECT row_key FROM sliced_rows)))))
      WHERE "v0" IS NOT NULL GROUP BY row_key, "v0") AS f0 JOIN (SELECT row_key, "v1" FROM (SELECT row_key, CASE type WHEN 'VARCHAR' THEN 't' WHEN 'BOOLEAN' THEN 'b' ELSE 'n' END || CASE WHEN type IN ('VARCHAR', 'BOOLEAN') THEN json_text(item)
      WHEN type IN ('NULL', 'OBJECT', 'ARRAY') THEN NULL ELSE number_text(json_number(item)) END AS "v1" FROM (SELECT row_key, item, json_type(item) AS type FROM (SELECT row_key, unnest(CASE WHEN json_type(json) = 'ARRAY' THEN json_extract(json, '$[*]') ELSE [json] END) AS item FROM (SELECT row_key, CASE WHEN count(text) = count(*) AND min(text) = max(text) THEN min(text) END AS json
      FROM (SELECT t.row_key AS row_key, CAST(TRY(json_extract(c.record, $3)) AS VARCHAR) AS text
        FROM trials AS t JOIN calls AS c ON c.call_key = t.trial_key
        WHERE t.evaluation_key IN (1, 2) AND t.row_key IN (SELECT row_key FROM sliced_rows))
      GROUP BY row_key))))
      WHERE "v1" IS NOT NULL GROUP BY row_key, "v1") AS f1 ON f1.row_key = f0.row_key) SELECT "v0", "v1", unit_count, row_count, count(*) OVER (), sum(CASE WHEN unit_count = 1 THEN 1 ELSE 0 END) OVER (), sum(unit_count) OVER (), (SELECT count(DISTINCT row_key) FROM slice_values) FROM (SELECT "v0", "v1", count(*) AS unit_count, count(*) AS row_count FROM slice_values
        GROUP BY "v0", "v1")
      ORDER BY unit_count DESC, CASE WHEN "v0" LIKE 'n%' THEN text_number(substring("v0", 2)) END NULLS LAST, "v0", CASE WHEN "v1" LIKE 'n%' THEN text_number(substring("v1", 2)) END NULLS LAST, "v1" LIMIT 220;
-- $1 DOUBLE 0.9
-- $2 VARCHAR "/topic"
-- $3 VARCHAR "/attributes/shard"
