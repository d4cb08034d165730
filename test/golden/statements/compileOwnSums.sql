WITH selected AS MATERIALIZED ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)) SELECT coalesce(sum(c.x), 0), coalesce(sum(b.x), 0) FROM (SELECT evaluation_key, row_key, x, trials FROM (SELECT v.evaluation_key, v.path_key, v.row_key, v.x, v.x::DOUBLE * 8.077935669463161e-28::DOUBLE AS value, v.trials
    FROM (SELECT 2 AS evaluation_key, 1 AS path_key, 0 AS kind, v.row_key, sum(CAST(v.number * 1.2379400392853803e+27::DOUBLE AS BIGINT))::BIGINT // count(*) AS x, count(*) AS trials
      FROM scores AS v JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key)
    WHERE v.evaluation_key = 2 AND v.kind = 0 AND v.path_key = 1 AND v.number IS NOT NULL GROUP BY v.row_key) AS v)) AS c
      JOIN (SELECT evaluation_key, row_key, x, trials FROM (SELECT v.evaluation_key, v.path_key, v.row_key, CAST(v.number * 1.152921504606847e+18::DOUBLE AS BIGINT) AS x,
    v.number AS value, 1 AS trials FROM scores AS v JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key)
    WHERE v.evaluation_key = 1 AND v.kind = 0 AND v.path_key = 1 AND v.number IS NOT NULL)) AS b ON b.row_key = c.row_key;
-- $1 DOUBLE 0.9
