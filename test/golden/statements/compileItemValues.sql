WITH selected AS MATERIALIZED ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)) SELECT row_key, evaluation_key, CASE WHEN min(value) = max(value) THEN min(value) ELSE nearest_double(sum(CAST(trunc(value * 9.007199254740992e+15::DOUBLE) AS BIGINT))::HUGEINT * 33554432 * 33554432
        + sum(CAST((value * 9.007199254740992e+15::DOUBLE - trunc(value * 9.007199254740992e+15::DOUBLE)) * 1.125899906842624e+15::DOUBLE AS BIGINT))::HUGEINT)
        / 1.125899906842624e+15::DOUBLE / 9.007199254740992e+15::DOUBLE / count(value) END, count(*), min(value) <> max(value), count(*) FILTER (value NOT IN (0, 1)) FROM (SELECT trial_key, row_key, evaluation_key, number AS value FROM (SELECT trial_key, row_key, evaluation_key, kind, number, text
    FROM scores JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key) WHERE path_key = 1
    AND evaluation_key IN (1, 2))
        WHERE kind < 2 AND number IS NOT NULL) GROUP BY row_key, evaluation_key LIMIT 10;
-- $1 DOUBLE 0.9
