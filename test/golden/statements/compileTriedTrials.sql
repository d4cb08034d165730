WITH selected AS MATERIALIZED ((SELECT "s0".row_key FROM scores AS "s0" WHERE "s0".evaluation_key IN (1, 2) AND "s0".path_key = 1 AND (("s0".number <= $1) OR "s0".row_key IS NULL) GROUP BY "s0".row_key)) SELECT t.trial_key, t.row_key, t.started_at, t.stop_reason, s.value FROM (SELECT trial_key, row_key, started_at, stop_reason FROM trials JOIN (FROM selected UNION ALL SELECT -1) AS selected USING (row_key)
    WHERE evaluation_key IN (1, 2)) AS t LEFT JOIN (SELECT trial_key, row_key, evaluation_key, number AS value FROM (SELECT trial_key, row_key, evaluation_key, kind, number, text
    FROM scores WHERE path_key = 1
    AND evaluation_key IN (1, 2))
        WHERE kind < 2 AND number IS NOT NULL) AS s ON s.trial_key = t.trial_key;
-- $1 DOUBLE 0.9
