WITH selected AS MATERIALIZED (SELECT row_key FROM (SELECT row_key FROM trials WHERE evaluation_key IN (1, 2)
    GROUP BY row_key HAVING bit_count(bit_or(1::BIGINT << (evaluation_key - 1))) = 2) SEMI JOIN ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)) AS kept USING (row_key)) SELECT t.evaluation_key, count(*) FROM trials AS t JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key)
    WHERE t.evaluation_key IN (1, 2) GROUP BY t.evaluation_key;
-- $1 DOUBLE 0.9
