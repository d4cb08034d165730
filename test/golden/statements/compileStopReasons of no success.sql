WITH selected AS MATERIALIZED ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)) SELECT evaluation_key, stop_reason, passed, count(*) FROM (SELECT evaluation_key, stop_reason, NULL::DOUBLE AS passed FROM (SELECT evaluation_key, trial_key, stop_reason FROM trials JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key)
    WHERE evaluation_key IN (1, 2))) GROUP BY evaluation_key, stop_reason, passed;
-- $1 DOUBLE 0.9
