WITH selected AS MATERIALIZED (SELECT row_key FROM (SELECT row_key FROM trials WHERE evaluation_key IN (1, 2)
    GROUP BY row_key HAVING bit_count(bit_or(1::BIGINT << (evaluation_key - 1))) = 2) SEMI JOIN ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)) AS kept USING (row_key)) SELECT evaluation_key, path_key, kind, trials, total, least, count(*)
    FROM (SELECT 1 AS evaluation_key, 2 AS path_key, 1 AS kind, count(*) AS trials, sum(v.number) AS total, 0 AS least
    FROM scores AS v JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key)
    WHERE v.evaluation_key = 1 AND v.kind = 1 AND v.path_key = 2 AND v.number IS NOT NULL GROUP BY v.row_key UNION ALL SELECT 2 AS evaluation_key, 2 AS path_key, 1 AS kind, count(*) AS trials, sum(v.number) AS total, 0 AS least
    FROM scores AS v JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key)
    WHERE v.evaluation_key = 2 AND v.kind = 1 AND v.path_key = 2 AND v.number IS NOT NULL GROUP BY v.row_key) GROUP BY evaluation_key, path_key, kind, trials, total, least;
-- $1 DOUBLE 0.9
