WITH selected AS MATERIALIZED ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key HAVING count(*) > 0)) SELECT t.evaluation_key, sum(TRY_CAST(round(t.total_tokens * 1000) AS BIGINT)) FROM trials AS t JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key)
      WHERE t.evaluation_key IN (1, 2)
      GROUP BY t.evaluation_key HAVING count(TRY_CAST(round(t.total_tokens * 1000) AS BIGINT)) > 0;
-- $1 DOUBLE 0.9
