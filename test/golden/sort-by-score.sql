WITH selected AS MATERIALIZED (SELECT row_key FROM trials WHERE evaluation_key IN (1, 2) GROUP BY row_key HAVING count(*) > 0)
    SELECT s.row_key, d.digest, (SELECT count(*) FROM selected) FROM selected AS s
    JOIN rows AS d ON d.row_key = s.row_key LEFT JOIN (SELECT row_key, CAST(sum(CAST(trunc(number * 9.007199254740992e+15::DOUBLE) AS BIGINT))::HUGEINT * 33554432 * 33554432
        + sum(CAST((number * 9.007199254740992e+15::DOUBLE - trunc(number * 9.007199254740992e+15::DOUBLE)) * 1.125899906842624e+15::DOUBLE AS BIGINT))::HUGEINT AS DOUBLE)
        / 1.125899906842624e+15::DOUBLE / 9.007199254740992e+15::DOUBLE / count(number) AS number, NULL::VARCHAR AS text FROM scores WHERE path_key = 1
    AND evaluation_key IN (1, 2) GROUP BY row_key) AS "k0" ON "k0".row_key = s.row_key
    ORDER BY "k0".number DESC NULLS LAST, d.digest LIMIT $1;
-- $1 BIGINT 50
