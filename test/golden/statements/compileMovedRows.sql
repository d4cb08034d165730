WITH selected AS MATERIALIZED ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)), baseline_rows AS MATERIALIZED (SELECT DISTINCT row_key FROM trials JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key)
    WHERE evaluation_key = 1) SELECT baseline_key, evaluation_key, 1, count(*) FILTER (d > 4), count(*) FILTER (d < -4) FROM (SELECT 1 AS baseline_key, c.evaluation_key, c.row_key, c.x AS a, b.x AS b, c.x - b.x AS d, greatest(c.trials, b.trials) AS trials
      FROM (SELECT evaluation_key, row_key, x, trials FROM (SELECT v.evaluation_key, v.path_key, v.row_key, v.x, CASE WHEN v.low = v.high THEN v.low ELSE v.x::DOUBLE * 8.673617379884035e-19::DOUBLE END AS value, v.trials
    FROM (SELECT 2 AS evaluation_key, 1 AS path_key, 0 AS kind, v.row_key, sum(CAST(v.number * 1.152921504606847e+18::DOUBLE AS BIGINT))::BIGINT // count(*) AS x, count(*) AS trials, min(v.number) AS low, max(v.number) AS high
      FROM scores AS v JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key)
    WHERE v.evaluation_key = 2 AND v.kind = 0 AND v.path_key = 1 AND v.number IS NOT NULL GROUP BY v.row_key) AS v)) AS c
      JOIN (SELECT r.row_key, v.x, v.trials FROM baseline_rows AS r
        LEFT JOIN (SELECT evaluation_key, row_key, x, trials FROM (SELECT v.evaluation_key, v.path_key, v.row_key, CAST(v.number * 1.152921504606847e+18::DOUBLE AS BIGINT) AS x,
    v.number AS value, 1 AS trials FROM scores AS v JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key)
    WHERE v.evaluation_key = 1 AND v.kind = 0 AND v.path_key = 1 AND v.number IS NOT NULL)) AS v ON v.row_key = r.row_key) AS b
      ON b.row_key = c.row_key) GROUP BY baseline_key, evaluation_key;
-- $1 DOUBLE 0.9
