WITH selected AS MATERIALIZED ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)), presence AS MATERIALIZED (SELECT row_key, bit_or(1::BIGINT << (CASE evaluation_key WHEN 1 THEN 0 WHEN 2 THEN 1 END)::BIGINT) AS present
    FROM trials JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key) WHERE evaluation_key IN (1, 2) GROUP BY row_key) SELECT present, count(*) FROM presence GROUP BY present;
-- $1 DOUBLE 0.9
