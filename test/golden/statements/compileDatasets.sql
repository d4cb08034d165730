WITH selected AS MATERIALIZED ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)) SELECT evaluation_key, reference_prefix FROM trials JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key)
    WHERE evaluation_key IN (1, 2) AND reference_prefix IS NOT NULL
    GROUP BY ALL ORDER BY evaluation_key, reference_prefix;
-- $1 DOUBLE 0.9
