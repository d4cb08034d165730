WITH selected AS MATERIALIZED ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)), pairs AS MATERIALIZED (SELECT coalesce(a.row_key, b.row_key) AS row_key,
    coalesce(a.evaluation_key, b.evaluation_key) AS evaluation_key, a.value AS a, b.value AS b
    FROM (SELECT trial_key, row_key, evaluation_key, number AS value FROM (SELECT trial_key, row_key, evaluation_key, kind, number, text
    FROM scores JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key) WHERE path_key = 1
    AND evaluation_key IN (1, 2))
        WHERE kind < 2 AND number IS NOT NULL) AS a FULL JOIN (SELECT trial_key, row_key, evaluation_key, number AS value FROM (SELECT trial_key, row_key, evaluation_key, kind, number, text
    FROM scores JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key) WHERE path_key = 2
    AND evaluation_key IN (1, 2))
        WHERE kind < 2 AND number IS NOT NULL) AS b ON b.trial_key = a.trial_key) SELECT nearest_double(sum(ra.rank::HUGEINT * ra.rank::HUGEINT)), nearest_double(sum(rb.rank::HUGEINT * rb.rank::HUGEINT)), nearest_double(sum(ra.rank::HUGEINT * rb.rank::HUGEINT))
    FROM pairs JOIN (SELECT value, 2 * (sum(n) OVER (ORDER BY value) - n) + n - total AS rank
    FROM (SELECT a AS value, count(*) AS n, sum(count(*)) OVER () AS total
      FROM pairs WHERE a IS NOT NULL AND b IS NOT NULL GROUP BY a)) AS ra ON ra.value = pairs.a JOIN (SELECT value, 2 * (sum(n) OVER (ORDER BY value) - n) + n - total AS rank
    FROM (SELECT b AS value, count(*) AS n, sum(count(*)) OVER () AS total
      FROM pairs WHERE a IS NOT NULL AND b IS NOT NULL GROUP BY b)) AS rb ON rb.value = pairs.b
    WHERE pairs.a IS NOT NULL AND pairs.b IS NOT NULL;
-- $1 DOUBLE 0.9
