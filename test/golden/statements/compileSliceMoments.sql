WITH selected AS MATERIALIZED ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)), sliced_rows AS MATERIALIZED (SELECT row_key FROM (SELECT row_key FROM trials JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key) WHERE evaluation_key = 2 AND row_key IN (SELECT row_key FROM trials WHERE evaluation_key = 1)) GROUP BY row_key), "slice_values_0" AS MATERIALIZED (SELECT f0.row_key AS row_key, "v0", "v1" FROM (SELECT row_key, "v0" FROM (SELECT row_key, CASE type WHEN 'VARCHAR' THEN 't' WHEN 'BOOLEAN' THEN 'b' ELSE 'n' END || CASE WHEN type IN ('VARCHAR', 'BOOLEAN') THEN json_text(item)
      WHEN type IN ('NULL', 'OBJECT', 'ARRAY') THEN NULL ELSE number_text(json_number(item)) END AS "v0" FROM (SELECT row_key, item, json_type(item) AS type FROM (SELECT row_key, unnest(CASE WHEN json_type(json) = 'ARRAY' THEN json_extract(json, '$[*]') ELSE [json] END) AS item FROM (SELECT row_key, json_extract(document, $2) AS json FROM (SELECT row_key, digest, coalesce(val, inline_example) AS document FROM rows
      WHERE project_key = 1) AS r
      WHERE row_key IN (SELECT row_key FROM sliced_rows)))))
      WHERE "v0" IS NOT NULL GROUP BY row_key, "v0") AS f0 JOIN (SELECT row_key, "v1" FROM (SELECT row_key, CASE type WHEN 'VARCHAR' THEN 't' WHEN 'BOOLEAN' THEN 'b' ELSE 'n' END || CASE WHEN type IN ('VARCHAR', 'BOOLEAN') THEN json_text(item)
      WHEN type IN ('NULL', 'OBJECT', 'ARRAY') THEN NULL ELSE number_text(json_number(item)) END AS "v1" FROM (SELECT row_key, item, json_type(item) AS type FROM (SELECT row_key, unnest(CASE WHEN json_type(json) = 'ARRAY' THEN json_extract(json, '$[*]') ELSE [json] END) AS item FROM (SELECT row_key, CASE WHEN count(text) = count(*) AND min(text) = max(text) THEN min(text) END AS json
      FROM (SELECT t.row_key AS row_key, CAST(TRY(json_extract(c.record, $3)) AS VARCHAR) AS text
        FROM trials AS t JOIN calls AS c ON c.call_key = t.trial_key
        WHERE t.evaluation_key IN (1, 2) AND t.row_key IN (SELECT row_key FROM sliced_rows))
      GROUP BY row_key))))
      WHERE "v1" IS NOT NULL GROUP BY row_key, "v1") AS f1 ON f1.row_key = f0.row_key), "slice_numbers_0"("v0", "v1", slice) AS (VALUES ($4, $5, 0), ($6, $7, 1)), slices AS MATERIALIZED (SELECT row_key, -1 AS slice FROM "slice_values_0" GROUP BY row_key UNION ALL SELECT s.row_key AS row_key, n.slice AS slice FROM "slice_values_0" AS s JOIN "slice_numbers_0" AS n
        ON n."v0" = s."v0" AND n."v1" = s."v1") SELECT evaluation_key, path_key, slice, count(*), sum(x), sum((x >> 31) * (x >> 31)), sum((x >> 31) * (x & 2147483647)), sum((x & 2147483647) * (x & 2147483647)), max(trials) FROM (SELECT v.evaluation_key AS evaluation_key, v.path_key AS path_key, v.row_key AS row_key, v.x AS x, v.trials AS trials,
      s.slice AS slice FROM (SELECT v.evaluation_key, v.path_key, v.row_key, CAST(v.number * 4.611686018427388e+18::DOUBLE AS BIGINT) AS x,
    v.number AS value, 1 AS trials FROM scores AS v JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key)
    WHERE v.evaluation_key = 1 AND v.kind = 0 AND v.path_key = 1 AND v.number IS NOT NULL) AS v JOIN slices AS s ON s.row_key = v.row_key) GROUP BY evaluation_key, path_key, slice;
-- $1 DOUBLE 0.9
-- $2 VARCHAR "/topic"
-- $3 VARCHAR "/attributes/shard"
-- $4 VARCHAR "tlaw"
-- $5 VARCHAR "n1"
-- $6 VARCHAR "btrue"
-- $7 VARCHAR "n2"
