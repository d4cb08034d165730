WITH selected AS MATERIALIZED ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)), sliced_rows AS MATERIALIZED (SELECT row_key FROM (SELECT row_key FROM trials JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key) WHERE evaluation_key IN (1, 2)) GROUP BY row_key) SELECT 0, unnest(names) FROM (SELECT names FROM (SELECT list_distinct(list_concat(
      CASE WHEN json_type(member) = 'OBJECT' THEN json_keys(member) ELSE [] END)) AS names FROM (SELECT document AS member FROM (SELECT row_key, digest, coalesce(val, inline_example) AS document FROM rows
      WHERE project_key = 1) AS r WHERE row_key IN (SELECT row_key FROM sliced_rows))) GROUP BY names) UNION ALL SELECT 1, unnest(names) FROM (SELECT names FROM (SELECT list_distinct(list_concat(
      CASE WHEN json_type(member) = 'OBJECT' THEN json_keys(member) ELSE [] END)) AS names FROM (SELECT json_extract(document, $2) AS member FROM (SELECT row_key, digest, coalesce(val, inline_example) AS document FROM rows
      WHERE project_key = 1) AS r WHERE row_key IN (SELECT row_key FROM sliced_rows))) GROUP BY names);
-- $1 DOUBLE 0.9
-- $2 VARCHAR "/topic"
