WITH selected AS MATERIALIZED ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)) SELECT v.row_key, v.number FROM scores AS v JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key)
    WHERE v.evaluation_key IN (1, 2) AND v.kind = 0 AND v.number IS NOT NULL ORDER BY v.row_key, v.number;
-- $1 DOUBLE 0.9
