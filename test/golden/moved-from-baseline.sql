WITH selected AS MATERIALIZED (SELECT row_key FROM (SELECT row_key FROM (SELECT row_key, evaluation_key, number AS mean FROM scores WHERE path_key = 1
    AND evaluation_key IN (1, 2) AND number IS NOT NULL) GROUP BY row_key HAVING min(mean) FILTER (evaluation_key <> 1) < min(mean) FILTER (evaluation_key = 1)) SEMI JOIN ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number > $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)) AS kept USING (row_key))
    SELECT s.row_key, digest, (SELECT count(*) FROM selected) FROM (FROM selected UNION ALL SELECT -1) AS s JOIN rows AS d ON d.row_key = s.row_key ORDER BY d.digest LIMIT $2;
-- $1 DOUBLE 0.5
-- $2 BIGINT 50
