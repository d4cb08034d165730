WITH selected AS MATERIALIZED ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)), presence AS MATERIALIZED (SELECT row_key, bit_or(1::BIGINT << (CASE evaluation_key WHEN 1 THEN 0 WHEN 2 THEN 1 END)::BIGINT) AS present
    FROM trials JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key) WHERE evaluation_key IN (1, 2) GROUP BY row_key) SELECT 1, present, count(*)
      FROM (SELECT evaluation_key, row_key, x, trials FROM (SELECT v.evaluation_key, v.path_key, v.row_key, CAST(v.number * 1.152921504606847e+18::DOUBLE AS BIGINT) AS x,
    v.number AS value, 1 AS trials FROM scores AS v JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key)
    WHERE v.evaluation_key = 1 AND v.kind = 0 AND v.path_key = 1 AND v.number IS NOT NULL)) AS v JOIN presence USING (row_key) GROUP BY present UNION ALL SELECT 2, present, count(*)
      FROM (SELECT evaluation_key, row_key, x::INTEGER AS x, trials FROM (SELECT v.evaluation_key, v.path_key, v.row_key, CAST(v.number * 1 AS BIGINT) AS x,
    v.number AS value, 1 AS trials FROM scores AS v JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key)
    WHERE v.evaluation_key = 1 AND v.kind = 1 AND v.path_key = 2 AND v.number IS NOT NULL)) AS v JOIN presence USING (row_key) GROUP BY present;
-- $1 DOUBLE 0.9
