WITH selected AS MATERIALIZED (SELECT row_key FROM (SELECT row_key FROM trials WHERE evaluation_key IN (1, 2)
    GROUP BY row_key HAVING bit_count(bit_or(1::BIGINT << (evaluation_key - 1))) = 2) SEMI JOIN ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)) AS kept USING (row_key)) SELECT evaluation_key, path_key, -bin.key, bin.value
    FROM (SELECT evaluation_key, path_key, unnest(map_entries(histogram(-value, CASE path_key WHEN 1 THEN $2::DOUBLE[] END))) AS bin
      FROM (SELECT v.evaluation_key, v.path_key, v.row_key, v.x, CASE WHEN v.low = v.high THEN v.low ELSE v.x::DOUBLE * 8.673617379884035e-19::DOUBLE END AS value, v.trials
    FROM (SELECT 1 AS evaluation_key, 1 AS path_key, 0 AS kind, v.row_key, sum(CAST(v.number * 1.152921504606847e+18::DOUBLE AS BIGINT))::BIGINT // count(*) AS x, count(*) AS trials, min(v.number) AS low, max(v.number) AS high
      FROM scores AS v JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key)
    WHERE v.evaluation_key = 1 AND v.kind = 0 AND v.path_key = 1 AND v.number IS NOT NULL GROUP BY v.row_key) AS v UNION ALL SELECT v.evaluation_key, v.path_key, v.row_key, v.x, v.x::DOUBLE * 0 AS value, v.trials
    FROM (SELECT 2 AS evaluation_key, 1 AS path_key, 0 AS kind, v.row_key, CAST(sum(v.number) * 0 AS BIGINT) // count(*) AS x, count(*) AS trials
      FROM scores AS v JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key)
    WHERE v.evaluation_key = 2 AND v.kind = 0 AND v.path_key = 1 AND v.number IS NOT NULL GROUP BY v.row_key) AS v) GROUP BY evaluation_key, path_key);
-- $1 DOUBLE 0.9
-- $2 VARCHAR "[-0.25, 0]"
