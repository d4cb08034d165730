WITH selected AS MATERIALIZED ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)) SELECT evaluation_key, count(DISTINCT row_key), count(own_latency_seconds), quantile_cont(own_latency_seconds, 0.5), count(TRY_CAST(own_total_tokens * 1000 AS BIGINT)), coalesce(sum(TRY_CAST(own_total_tokens * 1000 AS BIGINT)), 0) FROM trials JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key)
    WHERE evaluation_key IN (1, 2) GROUP BY evaluation_key;
-- $1 DOUBLE 0.9
