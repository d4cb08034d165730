WITH selected AS MATERIALIZED ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)) SELECT evaluation_key, trials, passed, count(*) FROM (SELECT evaluation_key, row_key, count(*) AS trials, sum(value) AS passed
    FROM (SELECT trial_key, row_key, evaluation_key, number AS value FROM (SELECT trial_key, row_key, evaluation_key, kind, number, text
    FROM scores JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key) WHERE path_key = 1
    AND evaluation_key IN (1, 2))
        WHERE kind < 2 AND number IS NOT NULL) GROUP BY evaluation_key, row_key) GROUP BY evaluation_key, trials, passed ORDER BY evaluation_key, trials, passed;
-- $1 DOUBLE 0.9
